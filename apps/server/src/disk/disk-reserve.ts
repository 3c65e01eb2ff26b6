import { randomBytes } from 'node:crypto';
import { existsSync, rmSync, statfsSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { type Clock, describeError, type Logger, runInBackground, type Timer } from '@berth/kit';
import { FULL_BELOW_BYTES, freeBytesOf } from './disk-room.ts';

/** Enough for the database's index and log, and for folders and records of hundreds of instances. */
const RESERVE_BYTES = 16 * 2 ** 20;
/** Below this the reserve is released. A starting instance takes about 40 KiB, the database's index 32 KiB. */
const EXHAUSTED_BYTES = 4 * 2 ** 20;
const WATCH_MS = 5_000;

/**
 * Reserves {@link RESERVE_BYTES} on the disk of the data folder, which exists, so that services can still start on a full disk. Releases them when the disk is full, before it returns if it already
 * is, and reserves them again when there is room. Does nothing on a disk without room.
 */
export function openDiskReserve(folder: string, clock: Clock, logger: Logger): { close(): void } {
  const file = path.join(folder, 'reserve');
  let timer: Timer | undefined;
  let isClosed = false;

  const giveUp = () => {
    if (!existsSync(file)) return;
    rmSync(file, { force: true });
    logger.warn(
      { folder },
      'the disk is full: the disk reserve was released so that services can start; free some space',
    );
  };
  const take = async () => {
    const temporary = `${file}.tmp`;
    try {
      await using handle = await open(temporary, 'w', 0o600);
      // A file system that compresses would store zeros in no space.
      await handle.writeFile(randomBytes(RESERVE_BYTES));
      await handle.sync();
      await rename(temporary, file);
    } catch (error) {
      await rm(temporary, { force: true });
      logger.warn({ folder, error: describeError(error) }, 'the disk reserve could not be created');
    }
  };
  const look = async () => {
    const freeBytes = await freeBytesOf(folder);
    if (freeBytes < EXHAUSTED_BYTES) giveUp();
    else if (freeBytes > FULL_BELOW_BYTES + 2 * RESERVE_BYTES && !existsSync(file)) await take();
  };
  const watch = () => {
    if (isClosed) return;
    runInBackground('disk reserve', look().finally(plan), logger);
  };
  const plan = () => {
    if (!isClosed) timer = clock.setTimer(WATCH_MS, watch);
  };

  const { bfree, bsize } = statfsSync(folder);
  if (bfree * bsize < EXHAUSTED_BYTES) giveUp();
  watch();
  return {
    close() {
      isClosed = true;
      timer?.cancel();
    },
  };
}
