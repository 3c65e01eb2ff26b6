import { expect, test } from 'vitest';
import { queueLocks } from './queue-locks.ts';

const broken = new Error('the connection broke');

// Fails when the error of the lock is thrown although the work has run.
test('a work that is done counts although its lock broke', async () => {
  const locks = queueLocks(async (_key, work) => {
    await work();
    throw broken;
  });
  expect(await locks.alone('k', async () => 'done')).toBe('done');
  await expect(locks.alone('k', () => Promise.reject(new Error('no room')))).rejects.toThrow('no room');
});

// Fails when an error before the work is swallowed.
test('a lock that cannot be had is an error, and the next work of the key gets its turn', async () => {
  const runs: string[] = [];
  let isBroken = true;
  const locks = queueLocks(async (_key, work) => {
    if (isBroken) throw broken;
    await work();
  });
  const run = (name: string) => locks.alone('k', async () => void runs.push(name));
  await expect(run('first')).rejects.toBe(broken);
  isBroken = false;
  await run('second');
  expect(runs).toEqual(['second']);
});
