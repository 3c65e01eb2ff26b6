import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, type Logger, runInBackground, type Timer } from '@berth/kit';
import { inBatches } from '@berth/runtime/files';

const POLL_MS = 1_000;
/** Maximum share of the time spent measuring, however many files there are. */
const DUTY_RATIO = 0.02;

/**
 * Measures folders once a second (less often when measuring is slow), and calls `onCrossed` once, when all together take more than
 * `limitBytes`. Returns a function that stops it.
 */
export function watchDisk(
  folders: readonly string[],
  limitBytes: number,
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
  onCrossed: () => void,
): () => void {
  let isOver = false;
  let timer: Timer | undefined;
  const look = async (): Promise<void> => {
    const begun = clock.monotonicMs();
    let bytes = 0;
    for (const folder of folders) bytes += await measureDisk(folder, limitBytes - bytes);
    if (isOver) return;
    if (bytes > limitBytes) {
      isOver = true;
      onCrossed();
      return;
    }
    plan(Math.max(POLL_MS, (clock.monotonicMs() - begun) / DUTY_RATIO));
  };
  const plan = (delayMs: number): void => {
    timer = clock.setTimer(delayMs, () => runInBackground('measure the disk of a program', look(), logger));
  };
  plan(POLL_MS);
  return () => {
    isOver = true;
    timer?.cancel();
  };
}

/** The unit of `st_blocks`, whatever the file system's block size (stat(2)). */
const BLOCK_BYTES = 512;

/**
 * Returns the bytes that a folder takes on disk. Doesn't follow symlinks, skips entries that vanish meanwhile, and stops counting beyond
 * `limitBytes`.
 */
export async function measureDisk(folder: string, limitBytes = Number.POSITIVE_INFINITY): Promise<number> {
  let bytes = 0;
  const measure = async (path: string): Promise<void> => {
    const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
    await inBatches(entries, async (entry) => {
      if (bytes > limitBytes) return;
      const inner = join(path, entry.name);
      if (entry.isDirectory()) return measure(inner);
      const stats = await lstat(inner).catch(() => undefined);
      bytes += (stats?.blocks ?? 0) * BLOCK_BYTES;
    });
  };
  await measure(folder);
  return bytes;
}
