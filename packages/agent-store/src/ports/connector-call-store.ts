import type { OwnerKey } from './owner-key.ts';

/** A rate limit window; it begins with the first call after the previous window ended. */
export interface CallWindow {
  readonly beganAtMs: number;
  /** Calls in the window, including those just counted. */
  readonly calls: number;
}

/** Calls to count. */
export interface CountedCalls {
  readonly calls: number;
  readonly nowMs: number;
  /** Duration of a window. */
  readonly windowMs: number;
}

/** Counters of calls to connectors' APIs, across all instances. */
export interface ConnectorCallStore {
  /** Counts calls and returns the current window. */
  count(owner: OwnerKey, connector: string, counted: CountedCalls): Promise<CallWindow>;
}
