// Mutation tests: `npm run mutate -- NAME [PROCESSES]`. Changes the code of a target in small ways, one at a time, runs the target's tests on
// each, and prints the changes that no test noticed. Exits with 1 when there are any. Not part of CI: admission takes minutes.
// Stryker has a lock file of its own here and is installed on the first run: few need its 150 packages.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { MUTATION_TARGETS } from './targets.ts';

const [name = '', processes = '2', ...rest] = process.argv.slice(2);
const target = MUTATION_TARGETS[name];
const concurrency = Number(processes);
if (target === undefined || !(concurrency >= 1) || rest.length > 0) {
  console.error(
    `npm run mutate -- NAME [PROCESSES], where NAME is one of: ${Object.keys(MUTATION_TARGETS).join(', ')}`,
  );
  process.exit(2);
}

/** Tests of real databases are slow beside other work; a mutant that hangs costs this much. */
const TIMEOUT_MS = 30_000;
const folder = await mkdtemp(join(tmpdir(), 'berth-mutate-'));
try {
  // Vitest reads its configuration from the copy of the project that Stryker makes: imports resolve as they do here.
  const configFile = join(folder, 'vitest.config.mjs');
  await writeFile(
    configFile,
    `export default ${JSON.stringify({ test: { include: target.tests, testTimeout: TIMEOUT_MS } })};\n`,
  );
  const results = await new Stryker({
    mutate: [...target.sources, '!**/*.test.ts'],
    testRunner: 'vitest',
    plugins: [join(stryker, 'vitest-runner/dist/src/index.js')],
    vitest: { configFile: vitestConfig, related: false },
    // The sandbox needs the packages and what their tests import.
    ignorePatterns: ['*', '!packages/**', '!package.json', '!tsconfig.json'],
    tempDirName: join(folder, 'sandbox'),
    // TypeScript 7 has no API to read its configuration with; nothing here needs it rewritten.
    tsconfigFile: 'none.json',
    concurrency,
    timeoutMS: TIMEOUT_MS,
    reporters: ['clear-text'],
    clearTextReporter: { allowColor: false, logTests: false },
    thresholds: { break: 100 },
  };
  const config = join(folder, 'stryker.json');
  await writeFile(config, JSON.stringify(options));
  process.exitCode = run(process.execPath, [join(stryker, 'core/bin/stryker.js'), 'run', config]);
} finally {
  await rm(folder, { recursive: true, force: true });
}
