import { scanBackward, scanForward } from './line-scan.ts';
import { isMissing, type LogFiles, type ReadableFile } from './log-files.ts';
import type { StoredEntry } from './log-store.ts';
import { decodeLine, toStoredEntry } from './record-line.ts';
import { findStartAfter } from './segment-search.ts';
import type { Segment } from './segment-writer.ts';

/** What is read, and how much at most. */
export interface ReadPlan {
  readonly files: LogFiles;
  /** Oldest first. */
  readonly segments: readonly Segment[];
  /** Goes into the entries' ids. */
  readonly scopeTag: string;
  readonly limit: number;
  /** Encoded bytes after which the answer ends; at least one entry is always answered. */
  readonly answerBytes: number;
  /** Tells the entries that are wanted. */
  fits(entry: StoredEntry): boolean;
  readonly signal?: AbortSignal | undefined;
}

/** The newest entries, oldest first. Memory: the answer and one chunk of a file. @throws the system's error. */
export async function readNewest(plan: ReadPlan): Promise<StoredEntry[]> {
  const answer = createAnswer(plan);
  for (const segment of plan.segments.toReversed()) {
    if (answer.isFull) break;
    await withFile(plan, segment, (file) => scanBackward(file, segment.sizeBytes, (line) => answer.take(line)));
  }
  return answer.entries.reverse();
}

/** The oldest entries after `since` (a timestamp of the log). @throws the system's error. */
export async function readAfter(plan: ReadPlan, since: string): Promise<StoredEntry[]> {
  const answer = createAnswer(plan);
  const firstIndex = plan.segments.findLastIndex((segment) => segment.startsAt <= since);
  for (const segment of plan.segments.slice(Math.max(0, firstIndex))) {
    if (answer.isFull) break;
    await withFile(plan, segment, async (file) => {
      const start = segment.startsAt > since ? 0 : await findStartAfter(file, segment.sizeBytes, since);
      await scanForward(file, { start, end: segment.sizeBytes }, (line) => answer.take(line, since));
    });
  }
  return answer.entries;
}

interface Answer {
  readonly entries: StoredEntry[];
  readonly isFull: boolean;
  /** Adds the entry of a line unless it is damaged or not after `since`; false when nothing more is wanted. */
  take(line: Buffer, since?: string): boolean;
}

function createAnswer({ limit, answerBytes, scopeTag, fits, signal }: ReadPlan): Answer {
  const entries: StoredEntry[] = [];
  let bytes = 0;
  let isFull = false;
  return {
    entries,
    get isFull() {
      return isFull;
    },
    take(line, since) {
      signal?.throwIfAborted();
      const fields = decodeLine(line);
      if (!fields || (since !== undefined && fields.timestamp <= since)) return true;
      const entry = toStoredEntry(fields, scopeTag);
      if (!fits(entry)) return true;
      if (entries.length > 0 && bytes + line.length > answerBytes) isFull = true;
      else {
        entries.push(entry);
        bytes += line.length;
        isFull = entries.length >= limit;
      }
      return !isFull;
    },
  };
}

async function withFile(
  { files }: ReadPlan,
  segment: Segment,
  work: (file: ReadableFile) => Promise<void>,
): Promise<void> {
  let file: ReadableFile;
  try {
    file = await files.openForReading(segment.path);
  } catch (error) {
    // Removed by age or size since the list was made.
    if (isMissing(error)) return;
    throw error;
  }
  try {
    await work(file);
  } finally {
    await file.close();
  }
}
