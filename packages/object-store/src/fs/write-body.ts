import type { FileHandle } from 'node:fs/promises';
import { createError } from '@berth/contract';
import { codeOf, createFileWriter } from '@berth/kit/node';
import { createBodyCheck } from '../body-check.ts';
import type { ExpectedBytes } from '../object-store.ts';

/**
 * Appends `body` to a file, reading on while it writes. After a failure, the file keeps what was written.
 * @throws BerthError `insufficient_storage`; `bad_request` when the bytes are not the expected ones.
 */
export async function writeBody(
  file: FileHandle,
  body: AsyncIterable<Uint8Array>,
  expected: ExpectedBytes = {},
): Promise<void> {
  const check = createBodyCheck(expected);
  const writer = createFileWriter(file);
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

/** Translates ENOSPC, EDQUOT and EFBIG to errors that a caller can act on; returns others as they are. */
export function translateDiskError(error: unknown): unknown {
  if (!['ENOSPC', 'EDQUOT', 'EFBIG'].includes(codeOf(error) ?? '')) return error;
  return createError('insufficient_storage', "The server's disk is full; nothing was stored.", {
    cause: error,
  });
}
