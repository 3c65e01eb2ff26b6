import type { Generated } from 'kysely';
import type { LogSegmentsTable } from '../schema/logs.ts';

/** Names a log by its folders: the account's id, the deployment's name. */
interface OfLog {
  readonly account: string;
  readonly deployment: string;
}

/** The end of a log. An append locks its row, so cursors are given out in order. */
export interface LogHeadsTable extends OfLog {
  /** Timestamp of the newest entry; empty when there was none. Its nanoseconds rise with every entry. */
  readonly last_at: string;
  /** Blocks up to this time are in Parquet or expired; empty at first. */
  readonly sealed_until: Generated<string>;
  /** Number, bytes and first time of the blocks after it. */
  readonly open_blocks: Generated<number>;
  readonly open_bytes: Generated<number>;
  readonly open_since: Generated<Date | null>;
}

/** The newest block of each process that appends: one that it appends again after a lost answer is ignored. */
export interface LogWritersTable extends OfLog {
  readonly writer: string;
  readonly sequence: number;
  readonly written_at: Date;
}

/** The right of a server to compact a log. */
export interface LogLeasesTable extends OfLog {
  readonly holder: string;
  /** Increases with every holder. */
  readonly epoch: number;
  readonly expires_at: Date;
}

/** Objects in the store that are not part of a log: announced and not added yet, or replaced. */
export interface LogGarbageTable extends OfLog {
  readonly object_key: string;
  readonly store: string;
  readonly since: Date;
}

/** Lines of a log that are not in Parquet yet. Rows are never updated or deleted: a partition is truncated as a whole. */
export interface LogBlocksTable extends OfLog {
  /** The partition, 0 or 1. */
  readonly slot: number;
  readonly starts_at: string;
  readonly ends_at: string;
  readonly row_count: number;
  /** Bytes of the lines before compression. */
  readonly size_bytes: number;
  readonly severities: number;
  readonly written_at: Generated<Date>;
  /** The lines, compressed with zstd. */
  readonly body: Uint8Array;
}

/** The partition that blocks are appended to, in the only row. */
export interface LogSlotsTable {
  readonly id: number;
  readonly slot: number;
  readonly since: Date;
}

/** The tables of logs that several servers share. */
export interface LogDatabase {
  log_heads: LogHeadsTable;
  log_writers: LogWritersTable;
  log_leases: LogLeasesTable;
  log_garbage: LogGarbageTable;
  log_blocks: LogBlocksTable;
  log_slots: LogSlotsTable;
  log_segments: LogSegmentsTable;
}
