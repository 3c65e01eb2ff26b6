import type { QueryLimits } from './query-limiter.ts';

/** Bounds of a file log store. Sizes in bytes or, for what is not encoded yet, characters; about the same for logs. */
export interface FileLogLimits {
  /** Most a deployment's log takes on disk; the oldest segments go first. */
  readonly maxBytes: number;
  /** Entries older than this go, a whole segment at a time. */
  readonly maxAgeMs: number;
  /** A segment that has this size is followed by a new one. */
  readonly segmentBytes: number;
  /** A segment that spans this time is followed by a new one, so that age can take it away. */
  readonly segmentMs: number;
  /** Longest wait of an entry before it is forced to the disk. */
  readonly commitMs: number;
  /** Unwritten characters of a deployment that are written without waiting for the commit. */
  readonly writeCharacters: number;
  /** Unwritten characters of a deployment from which `append` answers a promise. */
  readonly backPressureCharacters: number;
  /** Unwritten characters of a deployment from which its entries are dropped: its writer does not wait. */
  readonly bufferCharacters: number;
  /** The same for all deployments together. */
  readonly totalBufferCharacters: number;
  /** Most one `read` answers. */
  readonly answerBytes: number;
  /** How often age is looked at. */
  readonly sweepMs: number;
  /** Reads with a filter: each may go through a whole log. */
  readonly searches: QueryLimits;
}

const MIB = 2 ** 20;
const HOUR_MS = 3_600_000;

/** 256 MiB and 30 days a deployment; what waits in memory is at most 64 MiB. */
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
