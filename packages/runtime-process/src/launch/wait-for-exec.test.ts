import { statSync } from 'node:fs';
import { createFakeClock } from '@berth/testkit';
import { describe, expect, test } from 'vitest';
import { identifyFile, verifyFolders, waitForExec } from './wait-for-exec.ts';

const own = identifyFile('/proc/self/exe') ?? '';

describe.skipIf(process.platform !== 'linux')('waitForExec', () => {
  // Fails when a wrapper counts as the program.
  test('sees a program that is no wrapper at once, and waits while a wrapper runs', async () => {
    const clock = createFakeClock();
    expect(
      await waitForExec(
        () => process.pid,
        new Set(['1:1']),
        () => false,
        clock,
      ),
    ).toBe(true);
    let isOver = false;
    const waited = waitForExec(
      () => process.pid,
      new Set([own]),
      () => isOver,
      clock,
    );
    await clock.elapse(10);
    isOver = true;
    await clock.elapse(1);
    expect(await waited).toBe(false);
  });

  // Fails when the wait has no end.
  test('counts a program as executed after five seconds', async () => {
    const clock = createFakeClock();
    const waited = waitForExec(
      () => undefined,
      new Set(),
      () => false,
      clock,
    );
    await clock.elapse(5_002);
    expect(await waited).toBe(true);
  });
});

describe.skipIf(process.platform !== 'linux')('verifyFolders', () => {
  const { dev, ino } = statSync('/tmp');

  // Fails when only one of device and inode is compared.
  test('accepts the folder that was checked, and refuses another in its place after two seconds', async () => {
    const clock = createFakeClock();
    const same = { target: '/tmp', device: dev, inode: ino };
    await verifyFolders(process.pid, [same], () => false, clock);
    for (const other of [
      { ...same, inode: ino + 1 },
      { ...same, device: dev + 1 },
      { ...same, target: '/nonexistent' },
    ]) {
      const checked = verifyFolders(process.pid, [same, other], () => false, clock).then(
        () => 'accepted',
        (error: Error) => error.message,
      );
      await clock.elapse(2_002);
      expect(await checked).toBe(`the mount at ${other.target} was replaced during the start`);
    }
  });

  // Fails when the end of the sandbox isn't noticed: its exit says what went wrong.
  test('ends with the sandbox', async () => {
    const missing = { target: '/nonexistent', device: 0, inode: 0 };
    await verifyFolders(process.pid, [missing], () => true, createFakeClock());
  });
});
