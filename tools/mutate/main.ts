// Mutation tests: `npm run mutate -- NAME`. Changes the code of a target in small ways, one at a time, runs the target's tests on
// each, and prints the changes that no test noticed. Exits with 1 when there are any. Not part of CI: admission takes minutes.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';
import { MUTATION_TARGETS } from './targets.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { concurrency: { type: 'string', default: '2' } },
});
const target = MUTATION_TARGETS[positionals[0] ?? ''];
if (target === undefined || positionals.length > 1) {
  const names = Object.keys(MUTATION_TARGETS).join(', ');
  console.error(`npm run mutate -- NAME [--concurrency N], where NAME is one of: ${names}`);
  process.exit(2);
}

const folder = await mkdtemp(join(tmpdir(), 'berth-mutate-'));
try {
  // Vitest reads its configuration from the copy of the project that Stryker makes: imports resolve as they do here.
  const configFile = join(folder, 'vitest.config.mjs');
  await writeFile(configFile, `export default ${JSON.stringify({ test: { include: target.tests } })};\n`);
  const results = await new Stryker({
    mutate: [...target.sources, '!**/*.test.ts', '!**/testing/**'],
    testRunner: 'vitest',
    plugins: [fileURLToPath(import.meta.resolve('@stryker-mutator/vitest-runner'))],
    vitest: { configFile, related: false },
    // The sandbox needs the packages and what their tests import.
    ignorePatterns: ['*', '!packages/**', '!package.json', '!tsconfig.json'],
    tempDirName: join(folder, 'sandbox'),
    // TypeScript 7 has no API to read its configuration with; nothing here needs it rewritten.
    tsconfigFile: 'none.json',
    concurrency: Number(values.concurrency),
    reporters: ['clear-text'],
    clearTextReporter: { allowColor: false, logTests: false },
  }).runMutationTest();
  const missed = results.filter(({ status }) => status === 'Survived' || status === 'NoCoverage');
  process.exitCode = missed.length === 0 ? 0 : 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}
