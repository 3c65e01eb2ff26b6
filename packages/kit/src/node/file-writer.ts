import type { FileHandle } from 'node:fs/promises';

/** Adds to a file while more comes in. */
export interface FileWriter {
  /** Resolves when there is room for more. @throws what an earlier write met. */
  write(chunk: Uint8Array): Promise<void>;
  /** Resolves when all of it is written; the last of it is not synced. @throws what any write or sync met. */
  end(): Promise<void>;
}

/** Written at once; two of them are in memory at a time. */
const BATCH_BYTES = 512 * 1024;
/** The disk works while more comes in: what is left to be synced at the end is little. */
const SYNC_BYTES = 32 * 1024 * 1024;

export function createFileWriter(file: FileHandle): FileWriter {
  let batch: Uint8Array[] = [];
  let batchBytes = 0;
  let unsyncedBytes = 0;
  let isSyncing = false;
  let writing: Promise<void> = Promise.resolve();
  let syncing: Promise<void> = Promise.resolve();

  /** Stays under way when it fails: a disk tells of an error once, and no later sync may hide it. */
  const sync = async (): Promise<void> => {
    isSyncing = true;
    unsyncedBytes = 0;
    await file.datasync();
    isSyncing = false;
  };
  const flush = async (): Promise<void> => {
    await writing;
    const chunks = batch;
    batch = [];
    batchBytes = 0;
    writing = writeAll(file, chunks);
    // Whoever waits for it next is told.
    writing.catch(() => {});
    if (unsyncedBytes < SYNC_BYTES || isSyncing) return;
    syncing = sync();
    syncing.catch(() => {});
  };
  return {
    async write(chunk) {
      batch.push(chunk);
      batchBytes += chunk.byteLength;
      unsyncedBytes += chunk.byteLength;
      if (batchBytes >= BATCH_BYTES) await flush();
    },
    async end() {
      await flush();
      await writing;
      await syncing;
    },
  };
}

async function writeAll(file: FileHandle, chunks: readonly Uint8Array[]): Promise<void> {
  let left = chunks;
  while (left.length > 0) {
    const { bytesWritten } = await file.writev([...left]);
    left = skip(left, bytesWritten);
  }
}

function skip(chunks: readonly Uint8Array[], bytes: number): Uint8Array[] {
  let rest = bytes;
  return chunks.flatMap((chunk) => {
    const taken = Math.min(rest, chunk.byteLength);
    rest -= taken;
    return taken === chunk.byteLength ? [] : [chunk.subarray(taken)];
  });
}
