import type { FileHandle } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { createError } from '@berth/contract';
import { codeOf, createFileWriter } from '@berth/kit/node';
import { createBodyCheck } from '../body-check.ts';
import type { ExpectedBytes, PutOptions } from '../object-store.ts';

/** Smaller chunks are left to the garbage collector. */
const FREED_BYTES = 16 * 1024;

/**
 * Appends `body` to a file, reading on while it writes. After a failure, the file keeps what was written.
 * @throws BerthError `insufficient_storage`; `bad_request` when the bytes are not the expected ones.
 */
export async function writeBody(
  file: FileHandle,
  body: AsyncIterable<Uint8Array>,
  { isBodyOwned = false, ...expected }: ExpectedBytes & Pick<PutOptions, 'isBodyOwned'> = {},
): Promise<void> {
  const check = createBodyCheck(expected);
  const writer = createFileWriter(file, isBodyOwned ? { onWritten: freeMemory } : {});
  try {
    for await (const chunk of body) {
      if (!check.add(chunk)) break;
      await writer.write(chunk);
    }
  } finally {
    // A resumable upload continues from what arrived.
    await writer.end();
  }
  check.finish();
}

/**
 * Frees the memory of a chunk now. Left to the garbage collector, the chunks of an upload make it walk the whole heap every
 * 64 MiB, which takes more time than to store them.
 */
function freeMemory(chunk: Uint8Array): void {
  const memory = chunk.buffer as ArrayBuffer;
  // A chunk of a pool shares its memory with others.
  if (chunk.byteLength >= FREED_BYTES && chunk.byteLength === memory.byteLength) memory.transfer(0);
}

/**
 * Returns a small body. Events cost a third of an iterator.
 * @throws BerthError `bad_request` when the bytes are not the expected ones; the errors of `body`.
 */
export async function readBody(body: Readable, expected: ExpectedBytes): Promise<Uint8Array> {
  const check = createBodyCheck(expected);
  const chunks: Uint8Array[] = [];
  await new Promise<void>((resolve, reject) => {
    body.on('data', (chunk: Uint8Array) => {
      chunks.push(chunk);
      if (!check.add(chunk)) resolve();
    });
    body.once('end', resolve).once('error', reject);
    const onClose = () => reject(body.errored ?? new Error('the body was closed before its end'));
    if (body.destroyed) onClose();
    else body.once('close', onClose);
  });
  check.finish();
  return chunks.length === 1 ? (chunks[0] as Uint8Array) : Buffer.concat(chunks);
}

/** Translates ENOSPC, EDQUOT and EFBIG to errors that a caller can act on; returns others as they are. */
export function translateDiskError(error: unknown): unknown {
  if (!['ENOSPC', 'EDQUOT', 'EFBIG'].includes(codeOf(error) ?? '')) return error;
  return createError('insufficient_storage', "The server's disk is full; nothing was stored.", {
    cause: error,
  });
}
