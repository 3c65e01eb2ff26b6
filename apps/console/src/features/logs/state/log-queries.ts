/** Returns `text` as an SQL string literal. */
function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

function time(ms: number): string {
  return `TIMESTAMP('${new Date(ms).toISOString()}')`;
}

function within(deployment: string, fromMs: number, toMs: number): string {
  return `resource.labels.service_name = ${literal(deployment)} AND timestamp >= ${time(fromMs)} AND timestamp < ${time(toMs)}`;
}

/** Returns SQL that selects the full entry with a timestamp. The ID tells it from others in the same millisecond. */
export function entrySql(deployment: string, timestamp: string): string {
  const ms = Date.parse(timestamp);
  return `SELECT * FROM logs WHERE ${within(deployment, ms, ms + 1)} AND ends_with(insert_id, ${literal(idSuffix(timestamp))})`;
}

/** Returns the suffix of an entry's `insertId`: the nanoseconds of its timestamp in base 36. */
function idSuffix(timestamp: string): string {
  const [, seconds = '', digits = ''] = /^(.*?)(?:\.(\d+))?Z$/.exec(timestamp) ?? [];
  const nanoseconds = BigInt(Date.parse(`${seconds}Z`)) * 1_000_000n + BigInt(digits.padEnd(9, '0') || 0);
  return nanoseconds.toString(36);
}
