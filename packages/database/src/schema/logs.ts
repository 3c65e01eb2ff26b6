/** A Parquet segment: part of its log exactly while its row exists. Rows are never changed. */
export interface LogSegmentsTable {
  /** Folder names of the log: the account's id, the deployment's name. */
  readonly account: string;
  readonly deployment: string;
  /** Key of the object within the log's folder of the store. */
  readonly object_key: string;
  /** Name of the object store: `fs`, `s3`. */
  readonly store: string;
  /** Timestamps of its first and last entry: RFC 3339 with nanoseconds and `Z`, so that they sort as text. */
  readonly starts_at: string;
  readonly ends_at: string;
  readonly row_count: number;
  readonly size_bytes: number;
  /** Bit set of its severities: 1 << the index from DEFAULT (0) to EMERGENCY (8). */
  readonly severities: number;
}

/** How far a log was exported. Outlives its deployment until all of it is. */
export interface LogExportsTable {
  readonly account_id: string;
  readonly deployment: string;
  /** Timestamp of the last entry that was sent, or the time after which entries are. */
  exported_until: string;
}
