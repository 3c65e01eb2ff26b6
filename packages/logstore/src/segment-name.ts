const SEGMENT_NAME = /^(\d{4}-\d{2}-\d{2}T\d{2})-(\d{2})-(\d{2}\.\d{9}Z)\.log$/;

/** The file of the segment whose entries are at `timestamp` or later. Names sort by time; no colon, for all file systems. */
export function segmentName(timestamp: string): string {
  return `${timestamp.replaceAll(':', '-')}.log`;
}

/** The timestamp in a segment's file name; undefined for a file that is no segment. */
export function segmentTimestamp(name: string): string | undefined {
  const match = SEGMENT_NAME.exec(name);
  return match ? `${match[1]}:${match[2]}:${match[3]}` : undefined;
}
