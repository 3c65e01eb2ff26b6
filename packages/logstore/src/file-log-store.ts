import type { LogStore } from './ports/log-store.ts';
import type { LogSnapshot } from './query/take-snapshot.ts';

/** A log store whose entries can be had as files. */
export interface FileLogStore extends LogStore {
  /** Segments found missing or damaged since the store was opened; answers leave their entries out. */
  readonly damagedSegments: number;
  /**
   * Every entry of an account that was appended before the call. The caller releases it.
   * @throws BerthError `unavailable` when it can't be made.
   */
  snapshot(account: string): Promise<LogSnapshot>;
}
