// Checks that what documents and comments refer to exists. `npm run docs`.
import path from 'node:path';
import { checkDocs } from './check-docs.ts';

const [root = path.resolve(import.meta.dirname, '../..')] = process.argv.slice(2);
const { read, faults } = checkDocs(root);
for (const fault of faults) console.error(fault);
const { files, links, anchors, paths, sections, scripts, decisions } = read;
console.log(
  `docs: ${files} files, ${links} links, ${anchors} anchors, ${paths} paths, ${sections} sections, ${scripts} scripts, ${decisions} decisions read; ${faults.length} faults`,
);
const unread = Object.entries(read).filter(([, count]) => count === 0);
for (const [what] of unread) console.error(`docs: read no ${what}, so proved nothing`);
if (faults.length > 0 || unread.length > 0) process.exitCode = 1;
