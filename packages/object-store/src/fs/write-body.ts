import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { createError } from '@berth/contract';
import { codeOf, createFileWriter } from '@berth/kit/node';
import type { ExpectedBytes } from '../object-store.ts';

/**
 * Writes what `body` brings to the end of a file, reading on while it writes; answers how many bytes came. What is
 * written when `body` fails stays in the file.
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
    // What came is written even when no more comes: an upload in parts goes on from there.
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

/** ENOSPC, EDQUOT and EFBIG as the error a caller can act on; everything else as it came. */
export function translateDiskError(error: unknown): unknown {
  if (!['ENOSPC', 'EDQUOT', 'EFBIG'].includes(codeOf(error) ?? '')) return error;
  return createError('insufficient_storage', 'The disk of this server has no room for it; nothing was stored.', {
    cause: error,
  });
}
