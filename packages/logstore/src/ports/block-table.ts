import type { LogBlock, LogPlace, ParquetSegment } from './segment.ts';
import type { OldestSegment } from './segment-catalogue.ts';

/** A block as it is stored. */
export interface NewBlock extends LogBlock {
  /** The lines, compressed with zstd. */
  readonly body: Uint8Array;
}

/** Identifies a block: appending it again changes nothing. */
export interface BlockId {
  /** Unique over all processes that ever append. */
  readonly writer: string;
  /** Increases with every block that the writer appends to a log. */
  readonly sequence: number;
}

/** The end of a log. Open blocks are neither in Parquet nor expired. */
export interface LogHead {
  /** Timestamp of the newest entry ever appended. */
  readonly lastTimestamp: string | undefined;
  readonly openBlocks: number;
  readonly openBytes: number;
}

/** Content of a log at one moment, oldest first. */
export interface LogContent {
  readonly segments: readonly ParquetSegment[];
  readonly blocks: readonly LogBlock[];
}

/**
 * The right of one server to compact and trim a log. The epoch is a fencing token: it increases with every holder, and
 * every change names it.
 */
export interface LogLease {
  readonly holder: string;
  readonly epoch: number;
  /** Age of the oldest open block; 0 without any. */
  readonly openMs: number;
  readonly openBlocks: number;
}

/** A Parquet object, as named in its store. */
export type LogObject = Pick<ParquetSegment, 'key' | 'store'>;

/** A change by the holder of a log's lease. */
export interface LogChange {
  /** A segment whose object was announced before; see {@link BlockTable.announce}. */
  readonly add?: ParquetSegment;
  /** Segments that leave the log; their objects become garbage. */
  readonly remove: readonly LogObject[];
  /** Blocks up to this time leave the log. */
  readonly sealedUntil?: string;
}

/** When a log has enough blocks for a segment; each bound alone is enough. */
export interface DueLimits {
  readonly openBytes: number;
  readonly openBlocks: number;
  readonly openMs: number;
  /** Age of garbage that can be removed. */
  readonly garbageMs: number;
}

/**
 * The blocks of all logs, which several servers append to, and the catalog of the Parquet segments made from them.
 * Times are compared by the clock of the database only. Methods throw `unavailable` when it can't be reached.
 */
export interface BlockTable {
  /**
   * Appends a block in a transaction, in which `make` is called with the log's newest timestamp and returns a block of
   * later entries. `make` may be called again. Durable when it resolves.
   */
  append(
    place: LogPlace,
    id: BlockId,
    make: (lastTimestamp: string | undefined) => Promise<NewBlock>,
  ): Promise<LogHead>;
  newest(place: LogPlace): Promise<string | undefined>;
  /** @param since segments and blocks that end at this time or before are left out. */
  list(place: LogPlace, since?: string): Promise<LogContent>;
  /** Returns the stored bodies of the blocks that start in a range, both ends included, oldest first. */
  bodies(
    place: LogPlace,
    from: string,
    until: string,
  ): Promise<readonly { readonly startsAt: string; readonly body: Uint8Array }[]>;
  /** Returns the folder names of an account's logs that were ever written. */
  deployments(account: string): Promise<readonly string[]>;
  /** Returns a time of the oldest segment or block of every log that has one; a log may be listed twice. */
  oldest(): Promise<readonly OldestSegment[]>;
  /** Returns the logs that have blocks to compact, or garbage to remove. */
  due(limits: DueLimits): Promise<readonly LogPlace[]>;
  /**
   * Takes or extends the lease of a log.
   * @param epoch of the lease to extend.
   * @returns undefined while another server has the lease.
   */
  lease(place: LogPlace, holder: string, durationMs: number, epoch?: number): Promise<LogLease | undefined>;
  /** Ends a lease. Does nothing when another server has it. */
  release(place: LogPlace, lease: LogLease): Promise<void>;
  /**
   * Records an object as garbage before it is put, so that it is removed if nothing adds it.
   * @returns false when the lease is lost.
   */
  announce(place: LogPlace, lease: LogLease, object: LogObject): Promise<boolean>;
  /** Applies a change atomically. @returns false, and changes nothing, when the lease is lost, or what it adds is garbage no more. */
  change(place: LogPlace, lease: LogLease, change: LogChange): Promise<boolean>;
  /** Returns the objects of a log that have been garbage for as long. */
  garbage(place: LogPlace, olderThanMs: number): Promise<readonly LogObject[]>;
  /** Forgets garbage whose object was removed. */
  forget(place: LogPlace, lease: LogLease, objects: readonly LogObject[]): Promise<void>;
  /** Frees the space of blocks that left their logs, if enough of them did since the last time. */
  reclaim(): Promise<void>;
}

/** Wakes the tails of other servers. Notices may be lost. */
export interface LogNotices {
  publish(channel: string, payload: string): Promise<void>;
  /** @param listener called with undefined when notices may have been lost. */
  subscribe(channel: string, listener: (payload: string | undefined) => void): () => void;
}
