// Packs @berth/agent: `npm run pack-agent -- [FOLDER]` makes berth-agent-<version>.tgz there, `dist` by default.
import path from 'node:path';
import { packAgent } from './pack-agent.ts';

const root = path.resolve(import.meta.dirname, '../..');
try {
  const { file, isCached } = await packAgent(root, path.resolve(process.argv[2] ?? 'dist'));
  console.log(file);
  console.error(isCached ? 'unchanged' : 'made');
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
