import { scanBackward, scanForward } from './line-scan.ts';
import type { ReadableFile } from './log-files.ts';
import { decodeLine } from './record-line.ts';

/** A search ends when this many bytes are left: reading them costs what one more probe would. */
const LINEAR_BYTES = 65_536;

/**
 * The start of a line before which every entry is at or before `timestamp`, and from which the first later one is at
 * most about 64 KiB away. Bisects the file, whose lines are in the order of time: a segment needs no index beside it.
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
  /** Where the next line starts. */
  readonly end: number;
}

/** The first whole entry that starts at `from` or later and before `end`. */
async function firstEntryFrom(file: ReadableFile, from: number, end: number): Promise<Probe | undefined> {
  let found: Probe | undefined;
  // From one byte earlier: what is visited first is then the rest of the line before, or only its newline.
  await scanForward(file, { start: from - 1, end }, (line, start) => {
    const entry = start < from ? undefined : decodeLine(line);
    if (entry) found = { timestamp: entry.timestamp, end: start + line.length };
    return entry === undefined;
  });
  return found;
}

/** Where a segment's last whole entry ends, and its timestamp: what a crash left after it is to be cut. */
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
