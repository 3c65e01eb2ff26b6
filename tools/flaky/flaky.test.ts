import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseOptions } from './parse-options.ts';

const REPO = path.resolve(import.meta.dirname, '../..');
const env = { ...process.env, NO_COLOR: '1', VITEST: '' };
let folder: string;
const at = (name: string) => path.join(folder, name);

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'berth-flaky-'));
  await symlink(path.join(REPO, 'node_modules'), at('node_modules'));
  await writeFile(at('stable.test.ts'), `import { it } from 'vitest';\nit('passes', () => {});\n`);
  await writeFile(
    at('sometimes.test.ts'),
    `import { appendFileSync, readFileSync } from 'node:fs';
     import { expect, it } from 'vitest';
     it('passes', () => {});
     it('fails in the second run', () => {
       appendFileSync(${JSON.stringify(at('runs'))}, '.');
       expect(readFileSync(${JSON.stringify(at('runs'))}, 'utf8')).not.toBe('..');
     });`,
  );
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs the command, and answers how it ended and what it printed. */
async function flaky(...words: string[]): Promise<{ readonly code: number; readonly stdout: string }> {
  const command = [path.join(import.meta.dirname, 'main.ts'), '--load', '0', ...words];
  const run = promisify(execFile)(process.execPath, command, { cwd: REPO, env });
  return run.then(
    ({ stdout }) => ({ code: 0, stdout }),
    ({ code, stdout }: { code: number; stdout: string }) => ({ code, stdout }),
  );
}

// Fails when compareRuns counts a test that failed in any run as one that failed in all.
test('names the test that failed in some runs and not in others, with the runs', async () => {
  const { code, stdout } = await flaky('--runs', '3', '--json', at('sometimes.test.ts'), at('stable.test.ts'));
  expect(JSON.parse(stdout)).toMatchObject({
    runs: 3,
    load: 0,
    flaky: [
      {
        test: expect.stringMatching(/sometimes\.test\.ts fails in the second run$/),
        failedIn: [2],
        reason: expect.stringContaining("expected '..' not to be '..'"),
      },
    ],
    failing: [],
  });
  expect(code).toBe(1);
});

// Fails when the command exits with 1 for whatever it ran.
test('stable tests are exit code 0', async () => {
  const { code, stdout } = await flaky('--runs', '2', at('stable.test.ts'));
  expect([code, stdout]).toEqual([0, expect.stringContaining('\n0 flaky, 0 failing in 2 runs\n')]);
});

test.each([['--runs', '1'], ['--load', '65'], ['nolane'], ['missing.test.ts'], ['--what']])(
  '%s %s is refused before anything runs',
  (...words) => {
    expect(() => parseOptions(words)).toThrow();
  },
);

// Fails when spin.ts doesn't end with its channel: a command that was killed would leave the machine busy for good.
test('the load ends with whoever started it, however that ends', async () => {
  const program = `
    import { startLoad } from ${JSON.stringify(path.join(import.meta.dirname, 'start-load.ts'))};
    const load = await startLoad(1);
    console.log(load.pids.join(' '));`;
  const starter = spawn(process.execPath, ['--input-type=module', '-e', program], { env });
  const [line] = (await once(starter.stdout, 'data')) as [Buffer];
  const pids = line.toString().trim().split(' ').map(Number);
  expect(pids.filter(isRunning)).toHaveLength(1);
  starter.kill('SIGKILL');
  await expect.poll(() => pids.filter(isRunning)).toEqual([]);
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
