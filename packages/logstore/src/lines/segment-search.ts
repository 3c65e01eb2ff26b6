import { scanBackward, scanForward } from './line-scan.ts';
import type { ReadableFile } from './log-files.ts';
import { decodeLine } from './record-line.ts';

/** Bisection stops at this many bytes: reading them costs as much as one more probe. */
const LINEAR_BYTES = 65_536;

/**
 * Returns the start of a line before which every entry is at or before `timestamp`; the first later entry is at most
 * about 64 KiB after it. Bisects the file, whose lines are in order of time, so a segment needs no index.
 */
export async function findStartAfter(file: ReadableFile, sizeBytes: number, timestamp: string): Promise<number> {
  let low = 0;
  let high = sizeBytes;
  while (high - low > LINEAR_BYTES) {
    const middle = low + Math.floor((high - low) / 2);
    const probe = await firstEntryFrom(file, middle, high);
    if (probe && probe.timestamp <= timestamp) low = probe.end;
    else high = middle;
  }
  return low;
}

interface Probe {
  readonly timestamp: string;
  /** Offset of the next line. */
  readonly end: number;
}

/** Returns the first complete entry that starts at `from` or later and before `end`. */
async function firstEntryFrom(file: ReadableFile, from: number, end: number): Promise<Probe | undefined> {
  let found: Probe | undefined;
  // From one byte earlier: the first line visited is then the rest of the previous line, or just its newline.
  await scanForward(file, { start: from - 1, end }, (line, start) => {
    const entry = start < from ? undefined : decodeLine(line);
    if (entry) found = { timestamp: entry.timestamp, end: start + line.length };
    return entry === undefined;
  });
  return found;
}

/**
 * Returns where a segment's last complete entry ends, and its timestamp. The caller cuts whatever a crash left after
 * it.
 */
export async function findLastEntry(
  file: ReadableFile,
  sizeBytes: number,
): Promise<{ readonly end: number; readonly timestamp?: string }> {
  let last: { end: number; timestamp?: string } = { end: 0 };
  await scanBackward(file, sizeBytes, (line, start) => {
    const entry = decodeLine(line);
    if (entry) last = { end: start + line.length, timestamp: entry.timestamp };
    return entry === undefined;
  });
  return last;
}
