import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createFakeClock, createRecordingLogger, waitUntil } from '@berth/testkit';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openDiskReserve } from './disk-reserve.ts';

const RESERVE_BYTES = 16 * 2 ** 20;
const WATCH_MS = 5_000;

let folder: string;
let lines: string[];
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'berth-reserve-'));
  lines = [];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const file = () => path.join(folder, 'reserve');

function open() {
  const clock = createFakeClock();
  const reserve = openDiskReserve(folder, clock, createRecordingLogger(lines));
  return { clock, close: reserve.close };
}

// Fails when the reserve is a sparse file: it would take no space that could be given up.
test('a disk with room keeps a reserve that takes its space, for this user only', async () => {
  const { close } = open();
  await waitUntil('the reserve is there', () => existsSync(file()));
  const stats = statSync(file());
  expect(stats.size).toBe(RESERVE_BYTES);
  expect(stats.blocks * 512).toBeGreaterThanOrEqual(RESERVE_BYTES);
  expect(stats.mode & 0o777).toBe(0o600);
  expect(readdirSync(folder)).toEqual(['reserve']);
  expect(lines).toEqual([]);
  close();
});

// Fails when each start, or each look, writes the reserve again.
test('a reserve that is there stays as it is', async () => {
  writeFileSync(file(), 'kept');
  const { clock, close } = open();
  await waitUntil('the first look is over', () => clock.pending === 1);
  await clock.elapse(WATCH_MS);
  await waitUntil('the second look is over', () => clock.pending === 1);
  expect(statSync(file()).size).toBe(4);
  close();
});

// Fails when the watch ends with its first failure: the reserve would be gone when the disk fills up.
test('a look that fails is logged, and the next one makes up for it', async () => {
  writeFileSync(file(), 'kept');
  const { clock, close } = open();
  await waitUntil('the first look is over', () => clock.pending === 1);
  rmSync(folder, { recursive: true });
  await clock.elapse(WATCH_MS);
  await waitUntil('the failure is logged', () => lines.length > 0);
  expect(lines[0]).toContain('"task":"disk reserve"');
  mkdirSync(folder);
  await waitUntil('another look is planned', () => clock.pending === 1);
  await clock.elapse(WATCH_MS);
  await waitUntil('the reserve is there again', () => existsSync(file()));
  close();
});

// Fails when `close` leaves the timer, or a look that is under way plans another.
test('once it is closed it looks no more, and the reserve stays for the next start', async () => {
  writeFileSync(file(), 'kept');
  const { clock, close } = open();
  await waitUntil('the first look is over', () => clock.pending === 1);
  close();
  close();
  expect(clock.pending).toBe(0);
  rmSync(file());
  await clock.elapse(10 * WATCH_MS);
  expect(existsSync(file())).toBe(false);

  writeFileSync(file(), 'kept');
  const early = open();
  early.close();
  // The look under way is one call of the file system; these are made behind it.
  for (let call = 0; call < 10; call++) await statfs(folder);
  expect(early.clock.pending).toBe(0);
});
