import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { createError } from '@berth/contract';
import { codeOf, createFileWriter } from '@berth/kit/node';
import type { ExpectedBytes } from '../object-store.ts';

/**
 * Appends `body` to a file, reading on while it writes. Returns the number of bytes. After a failure, the file keeps
 * what was written.
 * @throws BerthError `insufficient_storage`; `bad_request` when the bytes are not the expected ones.
 */
export async function writeBody(
  file: FileHandle,
  body: AsyncIterable<Uint8Array>,
  expected: ExpectedBytes = {},
): Promise<number> {
  const md5 = expected.md5 && createHash('md5');
  const sha256 = expected.sha256 && createHash('sha256');
  let sizeBytes = 0;
  const writer = createFileWriter(file);
  try {
    for await (const chunk of body) {
      sizeBytes += chunk.byteLength;
      if (expected.sizeBytes !== undefined && sizeBytes > expected.sizeBytes) break;
      md5?.update(chunk);
      sha256?.update(chunk);
      await writer.write(chunk);
    }
  } finally {
    // A resumable upload continues from what arrived.
    await writer.end();
  }
  if (expected.sizeBytes !== undefined && sizeBytes !== expected.sizeBytes) {
    throw createError('bad_request', `The body has ${sizeBytes} bytes; ${expected.sizeBytes} were announced.`);
  }
  if (md5 && !md5.digest().equals(expected.md5 as Buffer)) {
    throw createError('bad_request', 'What arrived does not have the digest in Content-MD5. Send it again.');
  }
  if (sha256 && !sha256.digest().equals(expected.sha256 as Buffer)) {
    throw createError('bad_request', 'What arrived does not have the digest in x-amz-checksum-sha256. Send it again.');
  }
  return sizeBytes;
}

/** Translates ENOSPC, EDQUOT and EFBIG to errors that a caller can act on; returns others as they are. */
export function translateDiskError(error: unknown): unknown {
  if (!['ENOSPC', 'EDQUOT', 'EFBIG'].includes(codeOf(error) ?? '')) return error;
  return createError('insufficient_storage', 'The disk of this server has no room for it; nothing was stored.', {
    cause: error,
  });
}
