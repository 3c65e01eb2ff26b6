import { createRandom } from './create-random.ts';

/** What a line of {@link generateLogLines} can be searched for, and how often it is there. */
export interface LineTally {
  /** `severity>=ERROR AND jsonPayload.user_id="u-77"`. */
  errorsOfUser: number;
  /** The number of an order that is handled after seven tenths of the lines: in no other line. */
  rareWord?: string;
  /** Entries of each severity. */
  readonly severities: Record<string, number>;
}

/** Lines of an access log, of a program that logs JSON, and of one that logs text, always the same ones, in chunks. */
export function* generateLogLines(count: number, tally: LineTally): Generator<string> {
  const random = createRandom(20260131);
  const count1 = (severity: string) => {
    tally.severities[severity] = (tally.severities[severity] ?? 0) + 1;
  };
  let chunk = '';
  for (let index = 0; index < count; index++) {
    const kind = random(3);
    if (kind === 0) {
      chunk += `10.${random(256)}.${random(256)}.${random(256)} - - "GET /item/${random(100_000)} HTTP/1.1" 200 ${random(50_000)}\n`;
      count1('INFO');
    } else if (kind === 1) {
      const severity = random(100) === 0 ? 'ERROR' : 'INFO';
      const user = `u-${random(500)}`;
      const fields = { severity, message: `order ${index} handled`, user_id: user, ms: random(900), route: '/pay' };
      chunk += `${JSON.stringify(fields)}\n`;
      count1(severity);
      if (index >= count * 0.7) tally.rareWord ??= String(index);
      if (severity === 'ERROR' && user === 'u-77') tally.errorsOfUser++;
    } else {
      chunk += `WARN [worker-${random(16)}] queue is ${random(1_000)} long, batch ${random(1e6).toString(16)} waits\n`;
      count1('WARNING');
    }
    if (chunk.length < 65_536) continue;
    yield chunk;
    chunk = '';
  }
  if (chunk !== '') yield chunk;
}
