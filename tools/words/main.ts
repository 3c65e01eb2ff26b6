// Checks what people read for patterns that they stumble over. `npm run words`.
import path from 'node:path';
import { checkWords } from './check-words.ts';
import OLD_FINDINGS from './old-findings.json' with { type: 'json' };

const [root = path.resolve(import.meta.dirname, '../..')] = process.argv.slice(2);
const { read, faults } = checkWords(root);
const counts = Object.entries(read).map(([kind, count]) => `${count} ${kind}`);
const allowed: Readonly<Record<string, number>> = OLD_FINDINGS;
const byFile = Map.groupBy(faults, (fault) => fault.slice(0, fault.indexOf(':')));
const reported = [...byFile].flatMap(([file, found]) => (found.length > (allowed[file] ?? 0) ? found : []));
for (const fault of reported) console.error(fault);
console.log(
  `words: ${counts.join(', ')} read; ${reported.length} faults, ${faults.length - reported.length} old ones left`,
);
const unread = Object.entries(read).filter(([, count]) => count === 0);
for (const [kind] of unread) console.error(`words: read no ${kind}, so proved nothing`);
if (reported.length > 0 || unread.length > 0) process.exitCode = 1;
