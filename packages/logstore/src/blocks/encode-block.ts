import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';
import { createTimestampSequence } from '../entry/timestamp.ts';
import { encodeLine } from '../lines/record-line.ts';
import type { NewBlock } from '../ports/block-table.ts';
import type { LogBlock } from '../ports/segment.ts';

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

/** Entries that are encoded except for their timestamps. */
export interface BlockEntries {
  readonly bodies: readonly string[];
  /** Wanted times of the entries, in milliseconds since the epoch. */
  readonly timesMs: readonly number[];
  /** Bit set of the severities; see `SegmentSummary`. */
  readonly severities: number;
}

/** A block, and its lines as they were before compression. */
export interface EncodedBlock extends NewBlock {
  readonly lines: Buffer;
}

/** Returns a block of the entries, which is never empty, at times after `lastTimestamp`. */
export async function encodeBlock(
  { bodies, timesMs, severities }: BlockEntries,
  lastTimestamp: string | undefined,
): Promise<EncodedBlock> {
  const times = createTimestampSequence(lastTimestamp);
  let startsAt = '';
  let text = '';
  for (const [index, body] of bodies.entries()) {
    const timestamp = times.next(timesMs[index] ?? 0);
    startsAt ||= timestamp;
    text += encodeLine(timestamp, body);
  }
  const lines = Buffer.from(text);
  const summary = { startsAt, endsAt: times.last ?? startsAt, rows: bodies.length, severities };
  return { ...summary, sizeBytes: lines.length, body: await compress(lines), lines };
}

/** Returns the lines of a stored block. @throws Error when it is damaged. */
export async function decodeBlock(body: Uint8Array, { startsAt, sizeBytes }: LogBlock): Promise<Buffer> {
  const lines = await decompress(body, { maxOutputLength: Math.max(1, sizeBytes) });
  if (lines.length !== sizeBytes) throw new Error(`the log block of ${startsAt} is damaged`);
  return lines;
}
