import { close, fdatasync, open } from 'node:fs';
import { promisify } from 'node:util';
import { BerthError } from '@berth/kit';

/** Makes commits durable. */
export interface LogSync {
  /**
   * Resolves when everything that was committed before the call is on disk.
   * @throws `unavailable` when the disk failed, and from then on each time.
   */
  sync(): Promise<void>;
  /** Waits for what is under way, and lets go of the file. */
  close(): Promise<void>;
}

/** The functions of `node:fs` that are used. */
export interface LogFileSystem {
  open(file: string, flags: string): Promise<number>;
  fdatasync(descriptor: number): Promise<void>;
  close(descriptor: number): Promise<void>;
}

const FILE_SYSTEM: LogFileSystem = {
  open: promisify(open) as LogFileSystem['open'],
  fdatasync: promisify(fdatasync),
  close: promisify(close),
};

/**
 * Syncs the write-ahead log of a database beside the thread that writes it. Commits that come during a sync share the next one.
 * After a failed sync the state of the disk is unknown, and the kernel reports the failure only once, so the failure stands
 * until the database is opened again.
 * @param file path of the log. It exists from the first commit on, and stays the same file while the database is open.
 */
export function createLogSync(file: string, fileSystem: LogFileSystem = FILE_SYSTEM): LogSync {
  let descriptor: Promise<number> | undefined;
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  let failure: BerthError | undefined;
  const syncNow = async () => {
    try {
      descriptor ??= fileSystem.open(file, 'r+');
      await fileSystem.fdatasync(await descriptor);
    } catch (cause) {
      const message = "The database's disk failed. Check the disk, then restart.";
      failure ??= new BerthError({ code: 'unavailable', status: 503, message, cause });
    }
    if (failure) throw failure;
  };
  const start = (): Promise<void> => {
    const sync = syncNow().finally(() => {
      running = undefined;
    });
    running = sync;
    return sync;
  };
  const afterRunning = async (): Promise<void> => {
    await running?.catch(() => {});
    next = undefined;
    await start();
  };
  return {
    async sync() {
      if (failure) throw failure;
      if (!running) return await start();
      // The sync under way may have begun before the commit.
      next ??= afterRunning();
      return await next;
    },
    async close() {
      await next?.catch(() => {});
      await running?.catch(() => {});
      const opened = await descriptor?.catch(() => undefined);
      descriptor = undefined;
      if (opened !== undefined) await fileSystem.close(opened);
    },
  };
}
