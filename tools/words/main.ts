// Checks what people read for patterns that they stumble over, and for texts that no page shows. `npm run words`.
import path from 'node:path';
import { checkKeys } from './check-keys.ts';
import { checkWords } from './check-words.ts';

const [root = path.resolve(import.meta.dirname, '../..')] = process.argv.slice(2);
const words = checkWords(root);
const keys = checkKeys(root);
const read = { ...words.read, 'keys of texts': keys.read };
const faults = [...words.faults, ...keys.faults];
const counts = Object.entries(read).map(([kind, count]) => `${count} ${kind}`);
for (const fault of faults) console.error(fault);
console.log(`words: ${counts.join(', ')} read; ${faults.length} faults`);
const unread = Object.entries(read).filter(([, count]) => count === 0);
for (const [kind] of unread) console.error(`words: read no ${kind}, so proved nothing`);
if (faults.length > 0 || unread.length > 0) process.exitCode = 1;
