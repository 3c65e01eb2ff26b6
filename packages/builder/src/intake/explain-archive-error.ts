import { open } from 'node:fs/promises';
import { createError } from '@berth/contract';
import { BerthError } from '@berth/kit';
import { errorCode, translateDiskError } from '../files/disk-error.ts';
import type { StoredArchive } from '../port/builder.ts';
import { createArchiveViolation } from './archive-violation.ts';

/**
 * Converts a read error to an error that helps the sender of the archive. Internal errors are returned unchanged.
 * @param current Path of the entry being read.
 */
export async function explainArchiveError(
  error: unknown,
  archive: StoredArchive,
  current: string | undefined,
  signal: AbortSignal,
): Promise<unknown> {
  const place = current ? ` The damage is at or after ${JSON.stringify(current.slice(0, 200))}.` : '';
  if (BerthError.is(error)) return current && error.details['entry'] === undefined ? nameEntry(error, current) : error;
  if (signal.aborted) return createError('cancelled', 'The build was canceled.', { cause: error });
  const code = errorCode(error);
  const message = error instanceof Error ? error.message : String(error);
  if (code === 'Z_DATA_ERROR' && message.includes('incorrect header check')) {
    const format = sniffFormat(await readHead(archive.path));
    const is = format === undefined ? 'is not gzip' : `is ${format}, not gzip`;
    return createArchiveViolation(`The archive ${is}. Send a gzip-compressed tar (.tar.gz).`, error);
  }
  if (code === 'Z_BUF_ERROR') return createArchiveViolation(`The archive's gzip stream is truncated.${place}`, error);
  if (code?.startsWith('Z_')) return createArchiveViolation(`The archive's gzip stream is damaged.${place}`, error);
  if (message === 'Unexpected end of data') {
    return createArchiveViolation(`The archive's tar ends in the middle of an entry.${place}`, error);
  }
  if (/^(Invalid (tar )?header|Header exceeds)/.test(message)) {
    return createArchiveViolation(
      current === undefined
        ? 'The archive contains no tar.'
        : `The archive's tar is damaged, or has data after its end.${place}`,
      error,
    );
  }
  return translateDiskError(error);
}

function nameEntry(error: BerthError, current: string): BerthError {
  const shown = current.slice(0, 200);
  if (error.code !== 'archive_invalid') return error;
  return createError('archive_invalid', `${error.message} Read up to ${JSON.stringify(shown)}.`, {
    details: { entry: shown },
  });
}

async function readHead(path: string): Promise<Uint8Array> {
  await using file = await open(path, 'r');
  const { buffer, bytesRead } = await file.read(Buffer.alloc(512), 0, 512, 0);
  return buffer.subarray(0, bytesRead);
}

const MAGIC: readonly (readonly [name: string, offset: number, bytes: readonly number[]])[] = [
  ['a zip file', 0, [0x50, 0x4b, 0x03, 0x04]],
  ['a bzip2 file', 0, [0x42, 0x5a, 0x68]],
  ['an xz file', 0, [0xfd, 0x37, 0x7a, 0x58, 0x5a]],
  ['a zstd file', 0, [0x28, 0xb5, 0x2f, 0xfd]],
  ['a 7z file', 0, [0x37, 0x7a, 0xbc, 0xaf]],
  ['a tar that is not compressed', 257, [0x75, 0x73, 0x74, 0x61, 0x72]],
];

/**
 * Detects the format of a file that isn't gzip from its first 512 bytes; returns undefined for gzip and unknown
 * formats.
 */
function sniffFormat(head: Uint8Array): string | undefined {
  return MAGIC.find(([, offset, bytes]) => bytes.every((byte, index) => head[offset + index] === byte))?.[0];
}
