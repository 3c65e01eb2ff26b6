import { execFile } from 'node:child_process';
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Where systems have it: the server is not asked for a PATH. */
const SYNC_PROGRAMS = ['/usr/bin/sync', '/bin/sync'];
/** A disk that others keep this busy is left to flush on its own: the build is done, only a power cut could undo it. */
const TIMEOUT_MS = 10_000;
/** Files flushed at the same time where each has to be flushed by itself. */
const PARALLEL_FILES = 8;

/**
 * Makes a tree durable. One call flushes its whole file system, which for 840 new files takes 5 ms instead of the 70 ms of flushing
 * each (measured, ext4); where the system's `sync` can't (it is not GNU's), each is flushed.
 */
export async function syncTree(folder: string): Promise<void> {
  for (const program of SYNC_PROGRAMS) {
    try {
      await run(program, ['-f', folder], { timeout: TIMEOUT_MS, env: {} });
      return;
    } catch (error) {
      if (error instanceof Error && 'killed' in error && error.killed === true) return;
    }
  }
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const flush = async () => {
    for (let path = files.pop(); path !== undefined; path = files.pop()) {
      await using file = await open(path, 'r');
      await file.sync();
    }
  };
  await Promise.all(Array.from({ length: PARALLEL_FILES }, flush));
}
