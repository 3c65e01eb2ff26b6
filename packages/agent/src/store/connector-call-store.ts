import type { OwnerKey } from '../define/user.ts';

/** A stretch of time in which calls are counted; it begins with the first call after the last one was over. */
export interface CallWindow {
  readonly beganAtMs: number;
  /** With the one that was just counted. */
  readonly calls: number;
}

/** How often people called the APIs of connectors, over all instances. */
export interface ConnectorCallStore {
  /** Counts one call. */
  count(
    owner: OwnerKey,
    connector: string,
    at: { readonly nowMs: number; readonly windowMs: number },
  ): Promise<CallWindow>;
}
