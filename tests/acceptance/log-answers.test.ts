import { expect, it } from 'vitest';
import { verifies } from '../conformance/verifies.ts';
import { deployed } from '../harness/deploy.ts';
import { uniqueName } from '../harness/names.ts';
import { nodeProject } from '../harness/project-files.ts';
import { readLogs } from '../harness/read-logs.ts';
import { request } from '../harness/request.ts';
import { useBerth } from '../harness/use-berth.ts';
import { waitFor } from '../harness/wait-for.ts';

const berth = useBerth();

/** More than a segment holds: most of it is in Parquet when it is asked for. */
const LINES = 100_000;

/** Line `n` of what the service prints: an access log, JSON, text, and now and then a stack trace. */
function lineOf(n: number): string {
  if (n % 4 === 0) return `10.0.0.${n % 250} - - "GET /item/${n} HTTP/1.1" 200 ${n % 9_999}`;
  if (n % 4 === 1) {
    const severity = n % 100 === 1 ? 'ERROR' : 'INFO';
    return JSON.stringify({ severity, message: `order ${n}`, user: { id: `u-${n % 40}` }, ms: n % 900 });
  }
  if (n % 10_000 === 2) return `TypeError: boom ${n}\n    at f (/app/a.js:1:2)\n    at g (/app/a.js:3:4)`;
  return `NOTICE: batch ${n} waits`;
}

const SERVICE = nodeProject(`
  import { once } from 'node:events';
  import { createServer } from 'node:http';
  const lineOf = ${lineOf.toString()};
  createServer(async (request, response) => {
    for (let n = 0; n < ${LINES}; n += 500) {
      const lines = Array.from({ length: 500 }, (_, index) => lineOf(n + index) + '\\n').join('');
      if (!process.stdout.write(lines)) await once(process.stdout, 'drain');
    }
    response.end('printed');
  }).listen(process.env.PORT, '0.0.0.0');
`);

it('filters and SQL answer what was printed, each line of it once', { timeout: 240_000 }, async () => {
  verifies('logs.query', 'logs.cursor');
  const name = uniqueName('answers');
  await deployed(berth, name, { files: SERVICE });
  expect((await request(berth, name)).text).toBe('printed');
  const numbers = Array.from({ length: LINES }, (_, n) => n);

  /** Messages of all that fits, by the cursor. */
  const all = async (query: string): Promise<string[]> => {
    const messages: string[] = [];
    for (let since = '1970-01-01T00:00:00Z'; ; ) {
      const { logs, cursor } = await readLogs(berth, name, { query, since });
      if (logs.length === 0) return messages;
      messages.push(...logs.map((entry) => entry.message));
      since = cursor ?? since;
    }
  };
  await waitFor('the last line is in the log', async () => (await all(`"batch ${LINES - 1} waits"`)).length === 1);

  const orders = (fits: (n: number) => boolean) =>
    numbers.filter((n) => n % 4 === 1 && fits(n)).map((n) => `order ${n}`);
  expect(await all('severity>=ERROR AND jsonPayload.user.id="U-1"')).toEqual(
    orders((n) => n % 100 === 1 && n % 40 === 1),
  );
  expect(await all('jsonPayload.ms>=890 AND jsonPayload.user.id=("u-1" OR "u-5")')).toEqual(
    orders((n) => n % 900 >= 890 && (n % 40 === 1 || n % 40 === 5)),
  );
  expect(await all('textPayload=~"^10\\.0\\.0\\.(7|8) .*/item/\\d+ "')).toEqual(
    numbers.filter((n) => n % 4 === 0 && [7, 8].includes(n % 250)).map(lineOf),
  );
  expect(await all('"TypeError" severity=ERROR')).toEqual(numbers.filter((n) => n % 10_000 === 2).map(lineOf));
  expect(await all('SEARCH("99998 waits")')).toEqual([lineOf(99_998)]);

  const answer = await berth.post('/v1/sql', {
    query: `SELECT severity, COUNT(*) AS n, COUNT(DISTINCT insert_id) AS ids FROM logs
      WHERE resource.labels.service_name = '${name}' AND log_name = 'stdout' GROUP BY severity ORDER BY severity`,
  });
  const traces = LINES / 10_000;
  const errors = orders((n) => n % 100 === 1).length + traces;
  const infos = LINES / 2 - orders((n) => n % 100 === 1).length;
  expect(await answer.json()).toEqual([
    { severity: 'ERROR', n: errors, ids: errors },
    { severity: 'INFO', n: infos, ids: infos },
    { severity: 'NOTICE', n: LINES / 2 - traces, ids: LINES / 2 - traces },
  ]);
});
