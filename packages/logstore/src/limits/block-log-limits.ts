import type { DueLimits } from '../ports/block-table.ts';
import { FILE_LOG_DEFAULTS, type FileLogLimits } from './file-log-limits.ts';

/** Limits of a block log store. `segmentMs` has no effect: `openMs` takes its place. */
export interface BlockLogLimits extends FileLogLimits, Omit<DueLimits, 'openBytes'> {
  /** Interval at which tails look for entries without a notice. */
  readonly pollMs: number;
  /** Interval at which a server looks for logs that no one compacts. */
  readonly dueMs: number;
  /** Duration of a lease: the time until another server continues the work of a killed one. */
  readonly leaseMs: number;
  /** Maximum bytes of decompressed blocks kept in memory. */
  readonly cacheBytes: number;
}

const MINUTE_MS = 60_000;

/** Blocks of 256 KiB or 100 ms, so that a tail on another server has an entry within 250 ms. */
export const BLOCK_LOG_DEFAULTS: BlockLogLimits = {
  ...FILE_LOG_DEFAULTS,
  commitMs: 100,
  openBlocks: 1_000,
  openMs: 30 * MINUTE_MS,
  // Longer than any query runs: its list of objects may be as old as it is.
  garbageMs: 10 * MINUTE_MS,
  pollMs: 2_000,
  dueMs: 30_000,
  leaseMs: MINUTE_MS,
  cacheBytes: 16 * 2 ** 20,
};
