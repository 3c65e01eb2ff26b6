// Packs `berth-cli` and `berth-server` for npm: `npm run pack-berth -- [FOLDER]` writes their tarballs there, `dist` by default.
import path from 'node:path';
import { packBerth } from './pack-berth.ts';

const root = path.resolve(import.meta.dirname, '../..');
try {
  for (const file of await packBerth(root, path.resolve(process.argv[2] ?? 'dist'))) console.log(file);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
