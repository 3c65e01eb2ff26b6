// Mutation tests: `npm run mutate -- NAME`. Changes the code of a target in small ways, one at a time, runs the target's tests on
// each, and prints the changes that no test noticed; `--only` mutates some of its files. Exits with 1 when there are any. Not part of
// CI: admission takes minutes.
// Stryker has a lock file of its own here and is installed on the first run: few need its 150 packages.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { MUTATION_TARGETS } from './targets.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { concurrency: { type: 'string', default: '2' }, only: { type: 'string' } },
});
const target = MUTATION_TARGETS[positionals[0] ?? ''];
if (target === undefined || positionals.length > 1) {
  const names = Object.keys(MUTATION_TARGETS).join(', ');
  console.error(`npm run mutate -- NAME [--concurrency N] [--only GLOB], where NAME is one of: ${names}`);
  process.exit(2);
}

const run = (command: string, args: readonly string[]) =>
  spawnSync(command, args, { stdio: 'inherit', cwd: join(import.meta.dirname, '../..') }).status ?? 1;

const stryker = join(import.meta.dirname, 'node_modules/@stryker-mutator');
if (!existsSync(stryker)) {
  const status = run('npm', ['ci', '--prefix', import.meta.dirname, '--no-audit', '--no-fund']);
  if (status !== 0) process.exit(status);
}

/** Tests of real databases are slow beside other work; a mutant that hangs costs this much. */
const TIMEOUT_MS = 30_000;
const folder = await mkdtemp(join(tmpdir(), 'berth-mutate-'));
try {
  // Vitest reads its configuration from the copy of the project that Stryker makes: imports resolve as they do here.
  const vitestConfig = join(folder, 'vitest.config.mjs');
  await writeFile(
    vitestConfig,
    `export default ${JSON.stringify({ test: { include: target.tests, testTimeout: TIMEOUT_MS } })};\n`,
  );
  const options = {
    mutate: [...(values.only ? [values.only] : target.sources), '!**/*.{test,test-support}.ts', '!**/testing/**'],
    testRunner: 'vitest',
    plugins: [join(stryker, 'vitest-runner/dist/src/index.js'), join(import.meta.dirname, 'ignore-words.ts')],
    ignorers: ['words'],
    vitest: { configFile: vitestConfig, related: false },
    // The sandbox needs the packages and what their tests import.
    ignorePatterns: ['*', '!packages/**', '!package.json', '!tsconfig.json'],
    tempDirName: join(folder, 'sandbox'),
    // TypeScript 7 has no API to read its configuration with; nothing here needs it rewritten.
    tsconfigFile: 'none.json',
    concurrency: Number(values.concurrency),
    timeoutMS: TIMEOUT_MS,
    reporters: ['progress-append-only', 'clear-text'],
    clearTextReporter: { allowColor: false, logTests: false },
    thresholds: { break: 100 },
  };
  const config = join(folder, 'stryker.json');
  await writeFile(config, JSON.stringify(options));
  process.exitCode = run(process.execPath, [join(stryker, 'core/bin/stryker.js'), 'run', config]);
} finally {
  await rm(folder, { recursive: true, force: true });
}
