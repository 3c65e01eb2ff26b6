import { BerthError } from '@berth/kit';
import type { CommandOutcome, CommandSandbox, CommandSpec } from '@berth/runtime';
import { createFakeClock } from '@berth/testkit';
import { expect, test } from 'vitest';
import { type Command, createCommand } from '../plan/command.ts';
import { type BuildLimits, createDefaultBuildLimits } from './build-limits.ts';
import { runSteps } from './run-steps.ts';

const OK: CommandOutcome = { kind: 'exited', exitCode: 0 };
const FAILED: CommandOutcome = { kind: 'exited', exitCode: 3 };

/** What one command does: prints lines, takes time, ends. */
interface Act {
  readonly prints?: readonly string[];
  readonly takesMs?: number;
  readonly ends?: CommandOutcome;
  readonly atEnd?: () => void;
}

/** Runs `steps` in a sandbox whose commands do `acts` in turn; what was asked of it, and what was said. */
async function run(
  steps: readonly Command[],
  acts: readonly Act[],
  {
    limits: changed = {},
    signal = new AbortController().signal,
    timeoutMs = 60_000,
  }: { readonly limits?: Partial<BuildLimits>; readonly signal?: AbortSignal; readonly timeoutMs?: number } = {},
) {
  const clock = createFakeClock();
  const specs: CommandSpec[] = [];
  const said: string[] = [];
  const limits = { ...createDefaultBuildLimits(), timeoutMs, ...changed };
  const sandbox = {
    async run(spec: CommandSpec) {
      const { prints = [], takesMs = 0, ends = OK, atEnd } = acts[specs.length] ?? {};
      specs.push(spec);
      for (const line of prints) await spec.onLine(line);
      clock.advance(takesMs);
      atEnd?.();
      return ends;
    },
  } as unknown as CommandSandbox;
  const error = await runSteps({
    sandbox,
    clock,
    steps,
    limits,
    signal,
    owner: { account: 'acc', deployment: 'app' },
    folder: '/nowhere/project',
    programFolders: { toolFolders: [], binFolders: [] },
    writableFolders: ['/nowhere/project'],
    env: { HOME: '/home/x' },
    deadlineMs: clock.monotonicMs() + timeoutMs,
    onLine: (line, isOutput) => void said.push(`${isOutput ? '  ' : ''}${line}`),
  }).then(
    () => undefined,
    (thrown: unknown) => {
      if (!BerthError.is(thrown)) throw thrown;
      return thrown;
    },
  );
  return { specs, said, error };
}

const install = createCommand('npm', 'ci');
const build = createCommand('npm', 'run', 'build');

test('steps run in order, each after the one before, with their output between', async () => {
  const { specs, said, error } = await run([install, build], [{ prints: ['added 3 packages'] }, { prints: ['built'] }]);
  expect(error).toBeUndefined();
  expect(said).toEqual(['$ npm ci', '  added 3 packages', '$ npm run build', '  built']);
  expect(specs.map(({ argv }) => argv)).toEqual([
    ['npm', 'ci'],
    ['npm', 'run', 'build'],
  ]);
  expect(specs[0]).toMatchObject({ workingFolder: '/nowhere/project', env: { HOME: '/home/x' }, readableFolders: [] });
});

// Fails when a step runs after one that failed: a build would go on with half of its dependencies.
test('the first step that fails ends the build, with its last 40 lines', async () => {
  const prints = Array.from({ length: 50 }, (_, n) => `line ${n}`);
  const { specs, error } = await run([install, build], [{ prints, ends: FAILED }]);
  expect(specs).toHaveLength(1);
  expect(error).toMatchObject({ code: 'build_failed', message: 'npm ci failed with exit code 3' });
  expect(error?.details).toEqual({ step: 'npm ci', logs: prints.slice(10) });
});

test.each<readonly [CommandOutcome, string, string]>([
  [{ kind: 'signalled', signal: 'SIGSEGV' }, 'build_failed', 'npm ci was killed by SIGSEGV'],
  [{ kind: 'out_of_memory' }, 'build_failed', 'npm ci exceeded the 1 GiB memory limit of builds'],
  [{ kind: 'output_limit' }, 'build_failed', 'npm ci was stopped: the build printed more than 1 KiB'],
  [{ kind: 'disk_limit' }, 'build_failed', 'npm ci was stopped: the build wrote more than 1 MiB'],
  [{ kind: 'timeout' }, 'build_timeout', 'The build took longer than 60 seconds and was stopped in npm ci'],
  [{ kind: 'cancelled' }, 'cancelled', 'The build was canceled.'],
])('a command that ends as %j says which bound it met', async (ends, code, message) => {
  const limits = { memoryBytes: 2 ** 30, outputBytes: 2 ** 10, diskBytes: 2 ** 20 };
  expect((await run([install], [{ ends }], { limits })).error).toMatchObject({ code, message });
});

// Fails when each step gets the whole time or output: a build of many steps would have no bound.
test('the bounds of time and output are for all steps together', async () => {
  const acts = [{ takesMs: 25_000, prints: ['x'.repeat(99), 'é'] }, { takesMs: 5_000 }, {}];
  const { specs } = await run([install, build, install], acts, { limits: { outputBytes: 1_000 } });
  expect(specs.map(({ limits }) => limits.timeoutMs)).toEqual([60_000, 35_000, 30_000]);
  // A line counts with its end, in bytes.
  expect(specs.map(({ limits }) => limits.outputBytes)).toEqual([1_000, 897, 897]);
});

// Fails when a command is started with no time left, or with a bound of zero that means none.
test('no step starts once the time is over, and none without a bound of output', async () => {
  const late = await run([install, build], [{ takesMs: 60_000 }]);
  expect(late.specs).toHaveLength(1);
  expect(late.error).toMatchObject({ code: 'build_timeout', details: { step: 'npm run build' } });
  const loud = await run([install, build], [{ prints: ['x'.repeat(2_000)] }], { limits: { outputBytes: 1_000 } });
  expect(loud.specs[1]?.limits.outputBytes).toBe(1);
});

test('a build that was canceled between two steps starts no other', async () => {
  const stop = new AbortController();
  const { specs, error } = await run([install, build], [{ atEnd: () => stop.abort() }], { signal: stop.signal });
  expect(specs).toHaveLength(1);
  expect(error).toMatchObject({ code: 'cancelled' });
});

const alternative: Command = {
  ...install,
  otherwise: { afterOutput: 'EUSAGE', notice: 'The lock file does not fit.', command: createCommand('npm', 'install') },
};

test('a known failure is mended once by the alternative, which is run before the rest', async () => {
  const { said, specs, error } = await run(
    [alternative, build],
    [{ prints: ['npm error EUSAGE'], ends: FAILED }, {}, {}],
  );
  expect(error).toBeUndefined();
  expect(said.filter((line) => !line.startsWith('  '))).toEqual([
    '$ npm ci',
    'The lock file does not fit.',
    '$ npm install',
    '$ npm run build',
  ]);
  expect(specs).toHaveLength(3);
  const again = await run(
    [alternative],
    [
      { prints: ['EUSAGE'], ends: FAILED },
      { prints: ['EUSAGE'], ends: FAILED },
    ],
  );
  expect(again.error).toMatchObject({ message: 'npm install failed with exit code 3' });
});

// Fails when any failure, or the text alone, leads to the alternative: a build out of memory would run twice.
test.each([
  ['another failure', { prints: ['E404'], ends: FAILED }, 1],
  ['the text in a step that ends well', { prints: ['EUSAGE'] }, 1],
  ['a command that was ended for its memory', { prints: ['EUSAGE'], ends: { kind: 'out_of_memory' } }, 1],
] as const)('%s is not mended', async (_what, act, count) => {
  expect((await run([alternative], [act])).specs).toHaveLength(count);
});

test('a failure that a plan foresaw is explained by it, with the output', async () => {
  const refusal = {
    afterOutput: ['toolchain not available', 'go: download'],
    message: 'That Go could not be fetched.',
  };
  const step: Command = { ...build, refusal };
  const known = await run([step], [{ prints: ['go: download go9', 'bye'], ends: FAILED }]);
  expect(known.error).toMatchObject({
    code: 'build_failed',
    message: 'That Go could not be fetched.',
    details: { step: 'npm run build', logs: ['go: download go9', 'bye'] },
  });
  expect((await run([step], [{ prints: ['syntax error'], ends: FAILED }])).error?.message).toContain('exit code 3');
  expect((await run([step], [{ prints: ['go: download go9'] }])).error).toBeUndefined();
});
