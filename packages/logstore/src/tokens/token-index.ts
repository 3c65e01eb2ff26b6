import { type FileHandle, open } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import type { TokenFilter } from './token-filter.ts';

/** Some adjacent entries of a segment, by time, and the filter of their tokens. */
export interface TokenBlock {
  /** Nanoseconds since the epoch of the first and last entry. */
  readonly startsAt: bigint;
  readonly endsAt: bigint;
  readonly rows: number;
  readonly filter: TokenFilter;
}

/**
 * The token index of a Parquet segment is a part of its file, between the row groups and the footer, where Parquet keeps
 * its own indexes. Readers that do not know it never see it. It has one record and one filter per block, and a trailer:
 *
 * - record: `startsAt`, `endsAt` (64 bits each), rows, bytes of the filter, 1 with grams (32 bits each)
 * - trailer: number of blocks, bytes of the index without trailer, CRC-32 of those (32 bits each), version (32 bits), {@link MAGIC}
 *
 * Numbers are little-endian.
 */
const RECORD_BYTES = 28;
const TRAILER_BYTES = 20;
const MAGIC = 'BTOK';
/** Raised with every change of the keys or the filters: an index of another version is ignored. */
const VERSION = 1;

/** Length of the footer and `PAR1`, at the end of every Parquet file. Source: parquet.apache.org, file format. */
const PARQUET_END_BYTES = 8;

/** Inserts an index into a Parquet file that has none. A crash leaves a damaged file. */
export async function insertTokenIndex(path: string, blocks: readonly TokenBlock[]): Promise<void> {
  await using file = await open(path, 'r+');
  const { size } = await file.stat();
  const footerAt = await findFooter(file, size);
  const footer = await readAt(file, footerAt, size - footerAt);
  await file.writev([...encode(blocks), footer], footerAt);
}

/** Returns the index of a Parquet file, oldest block first; undefined when it has none, or a damaged one. */
export async function readTokenIndex(path: string): Promise<readonly TokenBlock[] | undefined> {
  await using file = await open(path, 'r');
  const { size } = await file.stat();
  if (size < PARQUET_END_BYTES) return undefined;
  const end = await findFooter(file, size);
  if (end < TRAILER_BYTES) return undefined;
  const trailer = await readAt(file, end - TRAILER_BYTES, TRAILER_BYTES);
  if (trailer.toString('latin1', TRAILER_BYTES - MAGIC.length) !== MAGIC || trailer.readUInt32LE(12) !== VERSION) {
    return undefined;
  }
  const [count, bytes, checksum] = [trailer.readUInt32LE(0), trailer.readUInt32LE(4), trailer.readUInt32LE(8)];
  if (bytes > end - TRAILER_BYTES || count * RECORD_BYTES > bytes) return undefined;
  const index = await readAt(file, end - TRAILER_BYTES - bytes, bytes);
  return crc32(index) === checksum ? decode(index, count) : undefined;
}

function encode(blocks: readonly TokenBlock[]): Buffer[] {
  const records = Buffer.alloc(blocks.length * RECORD_BYTES);
  for (const [index, { startsAt, endsAt, rows, filter }] of blocks.entries()) {
    const at = index * RECORD_BYTES;
    records.writeBigInt64LE(startsAt, at);
    records.writeBigInt64LE(endsAt, at + 8);
    records.writeUInt32LE(rows, at + 16);
    records.writeUInt32LE(filter.bits.length, at + 20);
    records.writeUInt32LE(Number(filter.hasGrams), at + 24);
  }
  const index = Buffer.concat([records, ...blocks.map((block) => block.filter.bits)]);
  const trailer = Buffer.alloc(TRAILER_BYTES);
  for (const [place, value] of [blocks.length, index.length, crc32(index), VERSION].entries()) {
    trailer.writeUInt32LE(value, place * 4);
  }
  trailer.write(MAGIC, TRAILER_BYTES - MAGIC.length, 'latin1');
  return [index, trailer];
}

function decode(index: Buffer, count: number): TokenBlock[] {
  let filterAt = count * RECORD_BYTES;
  return Array.from({ length: count }, (_, place) => {
    const at = place * RECORD_BYTES;
    const bits = index.subarray(filterAt, filterAt + index.readUInt32LE(at + 20));
    filterAt += bits.length;
    return {
      startsAt: index.readBigInt64LE(at),
      endsAt: index.readBigInt64LE(at + 8),
      rows: index.readUInt32LE(at + 16),
      filter: { bits, hasGrams: index.readUInt32LE(at + 24) === 1 },
    };
  });
}

/** Returns the offset of a Parquet file's footer; 0 for a file that is too short for the footer it claims. */
async function findFooter(file: FileHandle, size: number): Promise<number> {
  const end = await readAt(file, size - PARQUET_END_BYTES, PARQUET_END_BYTES);
  return Math.max(0, size - PARQUET_END_BYTES - end.readUInt32LE(0));
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), { position });
  return buffer.subarray(0, bytesRead);
}
