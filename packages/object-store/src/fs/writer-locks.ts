import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rm, stat, truncate, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Clock } from '@berth/kit';
import { codeOf } from '@berth/kit/node';
import { createWriterWatch, isBeingWritten, MARK_MS } from '../writer-watch.ts';

/** The right of one request to write an upload. */
export interface WriterLock {
  /** Another server has this lock's upload before this one gave it back: it was killed, cut off or paused. */
  readonly isTakenOver: boolean;
  /** @throws BerthError `conflict` when another request has taken the upload over */
  check(): Promise<void>;
  release(): Promise<void>;
}

/**
 * Creates locks that servers take on a shared folder. The locks of an upload are files in `<id>.locks`, named 1, 2, 3 …
 * Only the highest counts. Creating the next one is the one step that decides between two servers; the mark of a lock is
 * its content and time, which its holder changes every few seconds, and no content means that it was given back.
 */
export function createWriterLocks({ folder, clock }: { readonly folder: string; readonly clock: Clock }) {
  const watch = createWriterWatch(clock);
  const newest = async (locks: string) =>
    Math.max(0, ...(await readdir(locks).catch((): string[] => [])).map(Number).filter(Number.isInteger));
  /** Returns the mark of a lock; empty when it was given back. */
  const markOf = async (file: string) => {
    const holder = await readFile(file, 'utf8').catch(() => '');
    return holder === '' ? '' : `${holder} ${(await stat(file).catch(() => undefined))?.mtimeMs}`;
  };
  return {
    /** Returns true when no request is writing an upload, or none that is alive. Asking starts the watch over its writer. */
    async isFree(id: string): Promise<boolean> {
      const locks = path.join(folder, `${id}.locks`);
      const mark = await markOf(path.join(locks, String(await newest(locks))));
      return mark === '' || watch.isGone(id, mark);
    },
    /** @throws BerthError `conflict` when another request has the lock */
    async take(id: string): Promise<WriterLock> {
      const locks = path.join(folder, `${id}.locks`);
      await mkdir(locks, { recursive: true, mode: 0o700 });
      const last = await newest(locks);
      const mark = await markOf(path.join(locks, String(last)));
      if (mark !== '' && !watch.isGone(id, mark)) throw isBeingWritten();
      const file = path.join(locks, String(last + 1));
      await writeFile(file, randomBytes(8).toString('hex'), { flag: 'wx', mode: 0o600 }).catch((error: unknown) => {
        throw codeOf(error) === 'EEXIST' ? isBeingWritten() : error;
      });
      watch.forget(id);
      await rm(path.join(locks, String(last)), { force: true });
      const beat = () => {
        timer = clock.setTimer(MARK_MS, beat);
        const now = new Date(clock.nowMs());
        // The folder is gone when the upload was finished or removed.
        utimes(file, now, now).catch(() => {});
      };
      let timer = clock.setTimer(MARK_MS, beat);
      return {
        isTakenOver: mark !== '',
        async check() {
          if ((await newest(locks)) !== last + 1) throw isBeingWritten();
        },
        async release() {
          timer.cancel();
          await truncate(file).catch(() => {});
        },
      };
    },
  };
}
