import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { createError } from '@berth/contract';
import type { Clock } from '@berth/kit';
import { codeOf, createFileWriter } from '@berth/kit/node';

/** A complete upload on the disk, not yet placed in a workspace. */
export interface StagedFile extends AsyncDisposable {
  /** Absolute. The caller renames it to its place; disposing removes what is still there. */
  readonly file: string;
  readonly sizeBytes: number;
}

interface ReceiveOptions {
  /** @throws `payload_too_large` beyond it. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
}

/** A staged file not written to for this long belongs to a killed process. */
const ABANDONED_MS = 3_600_000;
const PRIVATE_MODE = 0o700;

/**
 * Returns a function that writes a body to the disk, on the file system of the workspaces. When it throws, nothing is left behind.
 * @throws `payload_too_large`, `insufficient_storage`, the signal's reason, and what `body` throws.
 */
export function createIncoming(dataFolder: string, clock: Clock) {
  const root = path.join(dataFolder, '.incoming');
  const ready = (async () => {
    await mkdir(root, { recursive: true, mode: PRIVATE_MODE });
    for (const entry of await readdir(root, { withFileTypes: true })) {
      const file = path.join(root, entry.name);
      // Other instances may be writing to theirs.
      const stats = entry.isFile() ? await stat(file).catch(() => undefined) : undefined;
      if (stats && stats.mtimeMs < clock.nowMs() - ABANDONED_MS) await rm(file, { force: true });
    }
  })();
  ready.catch(() => {});
  return async (body: AsyncIterable<Uint8Array>, options: ReceiveOptions): Promise<StagedFile> => {
    await ready;
    const file = path.join(root, randomBytes(16).toString('hex'));
    const remove = () => rm(file, { force: true });
    try {
      return { file, sizeBytes: await writeAll(file, body, options), [Symbol.asyncDispose]: remove };
    } catch (error) {
      await remove();
      throw translate(error);
    }
  };
}

async function writeAll(
  file: string,
  body: AsyncIterable<Uint8Array>,
  { maxBytes, signal }: ReceiveOptions,
): Promise<number> {
  await using handle = await open(file, 'wx', 0o660);
  const writer = createFileWriter(handle);
  let sizeBytes = 0;
  try {
    for await (const chunk of body) {
      signal?.throwIfAborted();
      sizeBytes += chunk.byteLength;
      if (sizeBytes > maxBytes) throw createError('payload_too_large', `The file has more than ${maxBytes} bytes.`);
      await writer.write(chunk);
    }
    signal?.throwIfAborted();
  } finally {
    await writer.end();
  }
  // Modes go through the umask; who shares the volume shares the files.
  await handle.chmod(0o660);
  await handle.sync();
  return sizeBytes;
}

function translate(error: unknown): unknown {
  if (!['ENOSPC', 'EDQUOT', 'EFBIG'].includes(codeOf(error) ?? '')) return error;
  return createError('insufficient_storage', 'The disk is full; nothing was stored.', { cause: error });
}
