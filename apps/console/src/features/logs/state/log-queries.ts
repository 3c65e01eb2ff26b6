/** A text of SQL. */
function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

function time(ms: number): string {
  return `TIMESTAMP('${new Date(ms).toISOString()}')`;
}

function within(deployment: string, fromMs: number, toMs: number): string {
  return `resource.labels.service_name = ${literal(deployment)} AND timestamp >= ${time(fromMs)} AND timestamp < ${time(toMs)}`;
}

/** SQL that answers all there is of the entry of a timestamp: of the entries of its millisecond, the one of its id. */
export function entrySql(deployment: string, timestamp: string): string {
  const ms = Date.parse(timestamp);
  return `SELECT * FROM logs WHERE ${within(deployment, ms, ms + 1)} AND ends_with(insert_id, ${literal(idSuffix(timestamp))})`;
}

/** What the `insertId` of an entry ends with: the nanoseconds of its timestamp, in base 36. */
function idSuffix(timestamp: string): string {
  const [, seconds = '', digits = ''] = /^(.*?)(?:\.(\d+))?Z$/.exec(timestamp) ?? [];
  const nanoseconds = BigInt(Date.parse(`${seconds}Z`)) * 1_000_000n + BigInt(digits.padEnd(9, '0') || 0);
  return nanoseconds.toString(36);
}
