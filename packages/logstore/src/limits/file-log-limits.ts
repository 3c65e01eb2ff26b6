import type { QueryLimits } from './query-limiter.ts';

/**
 * Limits of a file log store. Sizes are in bytes or, for entries that are not encoded yet, in characters; about the
 * same for logs.
 */
export interface FileLogLimits {
  /** Maximum size of a deployment's log on disk; the oldest segments are removed first. */
  readonly maxBytes: number;
  /** Entries older than this are removed, a whole segment at a time. */
  readonly maxAgeMs: number;
  /** Size at which a new segment is started. */
  readonly segmentBytes: number;
  /** Time span at which a new segment is started, so that retention by age can remove the old one. */
  readonly segmentMs: number;
  /** Maximum time before an entry is synced to disk. */
  readonly commitMs: number;
  /** Unwritten characters of a deployment that trigger a write before the next commit. */
  readonly writeCharacters: number;
  /** Unwritten characters of a deployment from which `append` returns a promise. */
  readonly backPressureCharacters: number;
  /** Unwritten characters of a deployment from which its entries are dropped: its writer ignores back-pressure. */
  readonly bufferCharacters: number;
  /** The same for all deployments together. */
  readonly totalBufferCharacters: number;
  /** Maximum bytes that one `read` returns. */
  readonly answerBytes: number;
  /** Interval of retention by age. */
  readonly sweepMs: number;
  /** Concurrency of reads with a filter, each of which may read a whole log. */
  readonly searches: QueryLimits;
}

const MIB = 2 ** 20;
const HOUR_MS = 3_600_000;

/** 256 MiB and 30 days per deployment; at most 64 MiB of unwritten entries in memory. */
export const FILE_LOG_DEFAULTS: FileLogLimits = {
  maxBytes: 256 * MIB,
  maxAgeMs: 30 * 24 * HOUR_MS,
  segmentBytes: 8 * MIB,
  segmentMs: 24 * HOUR_MS,
  commitMs: 300,
  writeCharacters: MIB / 4,
  backPressureCharacters: MIB,
  bufferCharacters: 4 * MIB,
  totalBufferCharacters: 64 * MIB,
  answerBytes: 16 * MIB,
  sweepMs: HOUR_MS,
  searches: { running: 8, runningPerAccount: 3, waitingPerAccount: 50 },
};
