import type { OwnerKey } from './owner-key.ts';

/** A stretch of time in which calls are counted; it begins with the first call after the last one was over. */
export interface CallWindow {
  readonly beganAtMs: number;
  /** With those that were just counted. */
  readonly calls: number;
}

export interface CountedCalls {
  readonly calls: number;
  readonly nowMs: number;
  /** How long a window is. */
  readonly windowMs: number;
}

/** How often people called the APIs of connectors, over all instances. */
export interface ConnectorCallStore {
  /** Counts so many calls at once. */
  count(owner: OwnerKey, connector: string, counted: CountedCalls): Promise<CallWindow>;
}
