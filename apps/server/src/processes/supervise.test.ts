import { EventEmitter } from 'node:events';
import { createSilentLogger } from '@berth/kit';
import { createFakeClock } from '@berth/testkit';
import { expect, it } from 'vitest';
import type { RoleProcess } from './role-process.ts';
import { supervise } from './supervise.ts';

/** A process without a process: it ends when it is told to, or lets go. */
function fakeProcess() {
  const { promise: ended, resolve: end } = Promise.withResolvers<string>();
  const child = new EventEmitter() as RoleProcess['child'];
  return { child, ended, end, kill: () => end('SIGKILL'), release: () => end('exit code 0') };
}

function open(prepare: (nth: number) => Promise<void> = async () => {}) {
  const clock = createFakeClock();
  const launched: ReturnType<typeof fakeProcess>[] = [];
  const supervisor = supervise({
    name: 'worker-1',
    clock,
    logger: createSilentLogger(),
    launch() {
      const process = fakeProcess();
      launched.push(process);
      return process;
    },
    prepare: () => prepare(launched.length),
  });
  return { clock, launched, supervisor };
}

it('starts a process again that has ended, later each time it ends soon', async () => {
  const { clock, launched, supervisor } = open();
  await supervisor.start();
  for (const [failures, waitMs] of [250, 500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000].entries()) {
    launched.at(-1)?.end('SIGKILL');
    await clock.elapse(waitMs - 1);
    expect(launched).toHaveLength(failures + 1);
    await clock.elapse(1);
    expect(launched).toHaveLength(failures + 2);
  }
  await clock.elapse(10_000);
  launched.at(-1)?.end('exit code 1');
  await clock.elapse(250);
  expect(launched).toHaveLength(10);
});

it('ends a process that cannot be made to serve, and tries again', async () => {
  const { clock, launched, supervisor } = open(async (nth) => {
    if (nth === 2) throw new Error('no memory');
  });
  await supervisor.start();
  launched[0]?.end('SIGSEGV');
  await clock.elapse(250);
  expect(await launched[1]?.ended).toBe('SIGKILL');
  await clock.elapse(500);
  expect(launched).toHaveLength(3);
});

it('fails when the first one does: with its own error, or with how it ended', async () => {
  const { supervisor } = open(() => Promise.reject(new Error('the database is damaged')));
  await expect(supervisor.start()).rejects.toThrow('the database is damaged');

  const early = open(() => new Promise(() => {}));
  const starting = early.supervisor.start();
  early.launched[0]?.end('exit code 1');
  await expect(starting).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('exit code 1'),
  });
});

it('starts nothing once it is closed, and ends what does not go by itself', async () => {
  const { clock, launched, supervisor } = open();
  await supervisor.start();
  await supervisor.close(1_000);
  expect(await launched[0]?.ended).toBe('exit code 0');
  await clock.elapse(60_000);
  expect(launched).toHaveLength(1);

  const stubborn = open();
  await stubborn.supervisor.start();
  const process = stubborn.launched[0];
  if (process) process.release = () => {};
  const closing = stubborn.supervisor.close(1_000);
  await stubborn.clock.elapse(1_000);
  await closing;
  expect(await process?.ended).toBe('SIGKILL');
});

it('does not start again what ends between two tries of its start', async () => {
  const { clock, launched, supervisor } = open();
  await supervisor.start();
  launched[0]?.end('SIGKILL');
  await clock.elapse(100);
  await supervisor.close(1_000);
  await clock.elapse(60_000);
  expect(launched).toHaveLength(1);
});

// Fails when every SIGKILL is taken for the supervisor's own: the kernel kills what has no memory left in the same way,
// and the operator was shown a stack.
it('says in a sentence that the first one was killed by somebody else', async () => {
  const { launched, supervisor } = open(() => new Promise(() => {}));
  const starting = supervisor.start();
  launched[0]?.end('SIGKILL');
  await expect(starting).rejects.toMatchObject({
    code: 'unavailable',
    message: 'A Berth process (worker-1) ended before it was ready: SIGKILL.',
  });
});

// Fails when a restart that fails leaves nothing that counts: the restarts would go on at full speed.
it('waits longer after each restart that fails, and logs each', async () => {
  const { clock, launched, supervisor } = open(async (nth) => {
    if (nth > 1) throw new Error('no memory');
  });
  await supervisor.start();
  launched[0]?.end('SIGSEGV');
  await clock.elapse(250 + 500 + 1_000);
  expect(launched).toHaveLength(4);
  await clock.elapse(1_999);
  expect(launched).toHaveLength(4);
  await clock.elapse(1);
  expect(launched).toHaveLength(5);
});

it('ends a process that is being prepared when it is closed, and starts no other', async () => {
  const { clock, launched, supervisor } = open((nth) => (nth === 1 ? Promise.resolve() : new Promise(() => {})));
  await supervisor.start();
  launched[0]?.end('SIGKILL');
  await clock.elapse(250);
  expect(launched).toHaveLength(2);
  await supervisor.close(1_000);
  await clock.elapse(60_000);
  expect(launched).toHaveLength(2);
});

it('can be closed before it was started, and twice', async () => {
  const { launched, supervisor } = open();
  await supervisor.close(1_000);
  await supervisor.close(1_000);
  expect(launched).toHaveLength(0);
});
