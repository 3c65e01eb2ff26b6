const TIME = String.raw`(\d{4}-\d{2}-\d{2}T\d{2})-(\d{2})-(\d{2}\.\d{9}Z)`;
const LINES = new RegExp(`^${TIME}\\.log$`);
const PARQUET = new RegExp(`^${TIME}_${TIME}\\.parquet$`);

/** What a segment's file name tells. */
export interface SegmentTimes {
  /** Its entries are at this time or later. */
  readonly startsAt: string;
  /** Of its last entry: for a Parquet segment, which never grows. */
  readonly endsAt?: string;
}

/** The file of the segment whose entries are at `timestamp` or later. Names sort by time; no colon, for all file systems. */
export function lineSegmentName(timestamp: string): string {
  return `${plain(timestamp)}.log`;
}

/** The Parquet file of the entries from one time to another, both included. */
export function parquetSegmentName(startsAt: string, endsAt: string): string {
  return `${plain(startsAt)}_${plain(endsAt)}.parquet`;
}

/** The times in a segment's file name; undefined for a file that is no segment. */
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
