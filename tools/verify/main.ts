// Everything CI runs, in the same order. `npm run verify`.
import { spawnSync } from 'node:child_process';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');
const node = process.execPath;
const bin = (name: string) => path.join(root, 'node_modules/.bin', name);

/** The tree without files, to which every line is new. */
const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';
/** Leaves only the marks of conflicts for `git diff --check` to find. */
const ANY_SPACE = 'core.whitespace=-blank-at-eol,-blank-at-eof,-space-before-tab';

/** Name, argv. */
const STEPS: readonly (readonly [string, readonly string[]])[] = [
  ['format and lint', [bin('biome'), 'ci', '--colors=off', '--max-diagnostics=20', '.']],
  ['conflict marks', ['git', '-c', ANY_SPACE, 'diff', '--check', EMPTY_TREE]],
  ['lock file', [node, 'tools/lock/main.ts', '--check']],
  ['layers', [node, 'tools/layers/main.ts']],
  ['docs', [node, 'tools/docs/main.ts']],
  ['words', [node, 'tools/words/main.ts']],
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
