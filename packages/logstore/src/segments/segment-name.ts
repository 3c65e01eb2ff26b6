const TIME = String.raw`(\d{4}-\d{2}-\d{2}T\d{2})-(\d{2})-(\d{2}\.\d{9}Z)`;
const LINES = new RegExp(`^${TIME}\\.log$`);
const PARQUET = new RegExp(`^${TIME}_${TIME}(?:\\.\\d+)?\\.parquet$`);

const PLAIN_TIME = String.raw`\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}\.\d{9}Z`;
/** A pattern, also in DuckDB's syntax, of the end of a Parquet segment's path: its groups are both times as they are in the name. */
export const PARQUET_PATH = String.raw`/(${PLAIN_TIME})_(${PLAIN_TIME})(?:\.\d+)?\.parquet$`;

/** The times in a segment's file name. */
export interface SegmentTimes {
  /** Entries are at this time or later. */
  readonly startsAt: string;
  /** Timestamp of the last entry; Parquet segments only, which never grow. */
  readonly endsAt?: string;
}

/**
 * Returns the file name of a line segment whose entries are at `timestamp` or later. Names sort by time, and have no
 * colon, which some file systems reject.
 */
export function lineSegmentName(timestamp: string): string {
  return `${plain(timestamp)}.log`;
}

/**
 * Returns the file name of a Parquet segment; both timestamps are inclusive.
 * @param epoch distinguishes the segments that several servers make of the same entries.
 */
export function parquetSegmentName(startsAt: string, endsAt: string, epoch?: number): string {
  return `${plain(startsAt)}_${plain(endsAt)}${epoch === undefined ? '' : `.${epoch}`}.parquet`;
}

/** Returns the times in a segment's file name; undefined for other files. */
export function parseSegmentName(name: string): SegmentTimes | undefined {
  const lines = LINES.exec(name);
  if (lines) return { startsAt: timeOf(lines, 1) };
  const parquet = PARQUET.exec(name);
  return parquet ? { startsAt: timeOf(parquet, 1), endsAt: timeOf(parquet, 4) } : undefined;
}

function plain(timestamp: string): string {
  return timestamp.replaceAll(':', '-');
}

function timeOf(match: RegExpExecArray, group: number): string {
  return `${match[group]}:${match[group + 1]}:${match[group + 2]}`;
}
