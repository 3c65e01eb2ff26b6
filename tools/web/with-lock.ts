import { mkdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** A lock that no one touched for this long was left by a process that was killed. */
const STALE_MS = 15_000;
const TOUCH_MS = 2_000;
const ASK_MS = 100;

/** Runs `work` while no other process runs something under the same lock: a folder, which only one can make. */
export async function withLock<Result>(folder: string, work: () => Promise<Result>): Promise<Result> {
  mkdirSync(path.dirname(folder), { recursive: true });
  while (!tryLock(folder)) await delay(ASK_MS);
  const touching = setInterval(() => utimesSync(folder, new Date(), new Date()), TOUCH_MS);
  try {
    return await work();
  } finally {
    clearInterval(touching);
    rmSync(folder, { recursive: true, force: true });
  }
}

function tryLock(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    const touchedMs = statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    if (Date.now() - touchedMs > STALE_MS) rmSync(folder, { recursive: true, force: true });
    return false;
  }
}
