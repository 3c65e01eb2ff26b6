/** A Parquet file that is part of a log, from the moment its row is here until the moment it is not. Rows are never changed. */
export interface LogSegmentsTable {
  /** Names of the log's folders: the account's id, the deployment's name. */
  readonly account: string;
  readonly deployment: string;
  /** Path of the object in the log's place of the store. */
  readonly object_key: string;
  /** Name of the object store: `fs`, `s3`. */
  readonly store: string;
  /** Of its first and last entry: RFC 3339 with nanoseconds and `Z`, so that they sort as text. */
  readonly starts_at: string;
  readonly ends_at: string;
  readonly row_count: number;
  readonly size_bytes: number;
  /** A bit for each severity in it: 1 << its place from DEFAULT (0) to EMERGENCY (8). */
  readonly severities: number;
}

/** Tables of logs. */
export interface LogsSchema {
  log_segments: LogSegmentsTable;
}
