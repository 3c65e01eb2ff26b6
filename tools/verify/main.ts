// Everything CI runs, in the same order. `npm run verify`.
import { spawnSync } from 'node:child_process';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');
const node = process.execPath;
const bin = (name: string) => path.join(root, 'node_modules/.bin', name);

/** Name, argv. */
const STEPS: readonly (readonly [string, readonly string[]])[] = [
  ['format and lint', [bin('biome'), 'ci', '--colors=off', '--max-diagnostics=20', '.']],
  ['lock file', [node, 'tools/lock/main.ts', '--check']],
  ['layers', [node, 'tools/layers/main.ts']],
  ['types', [bin('tsc'), '-p', 'tsconfig.json']],
  ['unused code', [bin('knip'), '--no-progress']],
  ['OpenAPI drift', [node, 'tools/openapi/main.ts', '--check']],
  ['tests', ['npm', 'test', '--silent']],
];

const failed: string[] = [];
for (const [name, [command, ...args]] of STEPS) {
  const started = performance.now();
  console.log(`\n##### ${name}`);
  const { status } = spawnSync(command as string, args, { cwd: root, stdio: 'inherit' });
  console.log(
    `##### ${name}: ${status === 0 ? 'ok' : 'FAILED'} in ${Math.round((performance.now() - started) / 1000)} s`,
  );
  if (status !== 0) failed.push(name);
}
if (failed.length > 0) {
  console.error(`\nverify failed: ${failed.join(', ')}`);
  process.exit(1);
}
console.log('\nverify: all steps passed');
