import type { FileHandle } from 'node:fs/promises';

/** A writer that appends to a file in batches and syncs it to disk in the background. */
export interface FileWriter {
  /** Resolves when the writer accepts more data. @throws the error of an earlier write. */
  write(chunk: Uint8Array): Promise<void>;
  /** Resolves when all data is written; the last part is not synced. @throws the error of any write or sync. */
  end(): Promise<void>;
}

/** Bytes per write. Up to two batches are in memory at a time. */
const BATCH_BYTES = 512 * 1024;
/** Bytes between syncs. Syncing while more data arrives leaves little to sync at the end. */
const SYNC_BYTES = 32 * 1024 * 1024;

/** Creates a writer that appends to `file`. The caller closes the file. `onWritten` gets each chunk that was written. */
export function createFileWriter(
  file: FileHandle,
  { onWritten }: { onWritten?(chunk: Uint8Array): void } = {},
): FileWriter {
  let batch: Uint8Array[] = [];
  let batchBytes = 0;
  let unsyncedBytes = 0;
  let isSyncing = false;
  let writing: Promise<void> = Promise.resolve();
  let syncing: Promise<void> = Promise.resolve();

  /**
   * Syncs the file. `isSyncing` stays true after a failure: the kernel reports a disk error once, and a later sync must
   * not hide it.
   */
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
    writing = writeAll(file, chunks).then(() => onWritten && chunks.forEach(onWritten));
    // The next call that awaits this write receives the error.
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
