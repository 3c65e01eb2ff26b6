import { answerJson, createScriptedServer, type Exchange, type Handler } from '@berth/client/testing';
import { expect, test } from 'vitest';
import { useBerth } from '../../testing/use-berth.ts';

const berth = useBerth();

const entry = (n: number) => ({
  timestamp: `2026-01-01T00:00:00.${String(n).padStart(9, '0')}Z`,
  severity: 'INFO',
  message: `m${n}`,
});

test('the newest, whole and plain in a pipe', async () => {
  let body: unknown;
  berth.server.on('POST /v1/deployment/logs', async (exchange) => {
    body = await exchange.json();
    await answerJson(200, { logs: [entry(1)], cursor: entry(1).timestamp })(exchange);
  });
  expect((await berth.run(['logs', 'app'])).stdout).toBe('2026-01-01T00:00:00.000000001Z INFO m1\n');
  expect(body).toEqual({ deployment_name: 'app', limit: 100 });
  expect((await berth.run(['logs', 'app', '--json'])).stdout).toBe(`${JSON.stringify(entry(1))}\n`);
});

test('--since pages to the end, or to the limit', async () => {
  const asked: unknown[] = [];
  berth.server.on('POST /v1/deployment/logs', async (exchange) => {
    const { since, limit } = (await exchange.json()) as { since: string; limit: number };
    asked.push(since);
    const from = asked.length === 1 ? 0 : Number(since.slice(20, 29));
    const logs = Array.from({ length: Math.min(limit, 2_500 - from) }, (_, i) => entry(from + i + 1));
    await answerJson(200, { logs, cursor: logs.at(-1)?.timestamp ?? since })(exchange);
  });
  const lines = (await berth.run(['logs', 'app', '--since', '2026-01-01T00:00:00.5Z'])).stdout.trim().split('\n');
  expect(lines).toHaveLength(2_500);
  expect(lines.at(-1)).toMatch(/m2500$/);
  expect(asked).toEqual(['2026-01-01T00:00:00.5Z', ...[1_000, 2_000, 2_500].map((n) => entry(n).timestamp)]);
  asked.length = 0;
  const some = await berth.run(['logs', 'app', '--since', '2026-01-01T00:00:00Z', '--limit', '1200']);
  const numbers = some.stdout.trim().split('\n');
  expect([numbers.length, numbers[0], numbers.at(-1)]).toEqual([
    1_200,
    expect.stringMatching(/m1301$/),
    expect.stringMatching(/m2500$/),
  ]);
});

// Fails when the oldest after --since are shown, as the API gives them.
test('--since with --limit shows the newest, and none from before', async () => {
  berth.server.on('POST /v1/deployment/logs', async (exchange) => {
    const { since = '', limit } = (await exchange.json()) as { since?: string; limit: number };
    const all = [1, 2, 3, 4, 5].map(entry).filter(({ timestamp }) => timestamp > since);
    const logs = since === '' ? all.slice(-limit) : all.slice(0, limit);
    await answerJson(200, { logs, cursor: logs.at(-1)?.timestamp ?? null })(exchange);
  });
  const messages = async (since: string, limit: string) =>
    [...(await berth.run(['logs', 'app', '--since', since, '--limit', limit])).stdout.matchAll(/m\d/g)].join(' ');
  expect(await messages('2026-01-01T00:00:00Z', '2')).toBe('m4 m5');
  expect(await messages('2026-01-01T01:00:00.000000004+01:00', '3')).toBe('m5');
});

// Fails when -f hands --since and --limit to the tail alone, which sends everything after --since.
test('-f with --since and --limit begins with the newest, then goes on after them', async () => {
  const lastTwo = [entry(4), entry(5)];
  berth.server.on('POST /v1/deployment/logs', answerJson(200, { logs: lastTwo, cursor: entry(5).timestamp }));
  berth.server.on('GET /v1/deployment/logs/tail', ({ query, response }) => {
    const after = query.get('since') ?? '';
    for (const one of [1, 2, 3, 4, 5, 6].map(entry).filter(({ timestamp }) => timestamp > after)) {
      response.write(`id: ${one.timestamp}\ndata: ${JSON.stringify(one)}\n\n`);
    }
  });
  const running = berth.start(['logs', 'app', '-f', '--since', '2026-01-01T00:00:00Z', '--limit', '2']);
  await expect.poll(() => running.stdout, { timeout: 10_000 }).toContain('m6');
  running.process.kill('SIGINT');
  expect((await running.result).stdout.match(/m\d/g)).toEqual(['m4', 'm5', 'm6']);
});

test('-q goes to the page and to the tail; a wrong one is explained', async () => {
  const asked: unknown[] = [];
  berth.server.on('POST /v1/deployment/logs', async (exchange) => {
    const { query } = (await exchange.json()) as { query: string };
    asked.push(query);
    const detail = [{ loc: ['body', 'query'], msg: 'expected a value after >=, at column 11', type: 'query_invalid' }];
    await (query === 'severity>=' ? answerJson(422, { detail }) : answerJson(200, { logs: [], cursor: null }))(
      exchange,
    );
  });
  berth.server.on('GET /v1/deployment/logs/tail', ({ query, response }) => {
    asked.push(query.get('query'));
    response.write(`id: ${entry(2).timestamp}\ndata: ${JSON.stringify(entry(2))}\n\n`);
  });
  const running = berth.start(['logs', 'app', '-f', '-q', 'severity>=ERROR AND "a b"']);
  await expect.poll(() => running.stdout, { timeout: 10_000 }).toContain('m2');
  running.process.kill('SIGINT');
  await running.result;
  expect(asked).toEqual(['severity>=ERROR AND "a b"', 'severity>=ERROR AND "a b"']);
  const wrong = await berth.run(['logs', 'app', '-q', 'severity>=']);
  expect(wrong.code).not.toBe(0);
  expect(wrong.stderr).toContain('at column 11');
});

// Fails when the reference or the caller's own filter is left out, or the entry's cause isn't printed.
test('--reference shows the cause of a failure', async () => {
  const queries: unknown[] = [];
  const failure = {
    ...entry(1),
    severity: 'ERROR',
    message: 'a turn failed, reference 1a2b3c4d\nError: why\n    at agent.ts:3',
  };
  berth.server.on('POST /v1/deployment/logs', async (exchange) => {
    const { query } = (await exchange.json()) as { query: string };
    queries.push(query);
    await answerJson(200, { logs: query.includes('1a2b3c4d') ? [failure] : [], cursor: null })(exchange);
  });
  expect((await berth.run(['logs', 'app', '--reference', '1A2B3C4D'])).stdout).toContain('Error: why');
  expect((await berth.run(['logs', 'app', '--reference', '00000000', '-q', 'a OR b'])).stderr).toContain('00000000');
  expect(queries).toEqual(['jsonPayload.error_id="1a2b3c4d"', 'jsonPayload.error_id="00000000" AND (a OR b\n)']);
  expect(await berth.run(['logs', 'app', '--reference', 'x" OR "'])).toMatchObject({ code: 2 });
});

test('-f goes on through a restart of the server, with nothing twice', async () => {
  const page: Handler = answerJson(200, { logs: [entry(1)], cursor: entry(1).timestamp });
  const first = await createScriptedServer({
    'POST /v1/deployment/logs': page,
    'GET /v1/deployment/logs/tail': ({ response }) => {
      response.flushHeaders();
    },
  });
  const running = berth.start(['logs', 'app', '-f'], first.url);
  await expect.poll(() => running.stdout).toContain('m1');
  await first.close();
  await expect.poll(() => running.stderr).toContain('Waiting for new entries');
  await using _second = await createScriptedServer(
    {
      'GET /v1/deployment/logs/tail': ({ query, response }) => {
        if (query.get('since') !== entry(1).timestamp) return;
        response.write(`id: ${entry(2).timestamp}\ndata: ${JSON.stringify(entry(2))}\n\n`);
      },
    },
    first.port,
  );
  await expect.poll(() => running.stdout, { timeout: 10_000 }).toContain('m2');
  running.process.kill('SIGINT');
  const { code, stdout, stderr } = await running.result;
  expect(code).toBe(130);
  expect(stdout.match(/m\d/g)).toEqual(['m1', 'm2']);
  expect(stderr).toMatch(/Can't reach http[\s\S]*It is back/);
});

test('a reader that has enough ends it without a word', async () => {
  berth.server.on('POST /v1/deployment/logs', answerJson(200, { logs: [entry(1)], cursor: entry(1).timestamp }));
  const tail = ({ response }: Exchange) => {
    const timer = setInterval(() => response.write(`id: x\ndata: ${JSON.stringify(entry(2))}\n\n`), 20);
    response.once('close', () => clearInterval(timer));
  };
  berth.server.on('GET /v1/deployment/logs/tail', tail);
  const running = berth.start(['logs', 'app', '-f']);
  running.process.stdout.once('data', () => running.process.stdout.destroy());
  const code = await new Promise((resolve) => running.process.once('exit', resolve));
  expect(code).toBe(0);
});

test('entries are counted by severity, and what is not counted is said', async () => {
  const bucket = (time: string, counts: object) => ({ time, counts });
  const buckets = [bucket('2026-01-01T00:00:00Z', { INFO: 3 }), bucket('2026-01-01T00:01:00Z', { INFO: 1, ERROR: 2 })];
  const counted_until = '2026-01-01T00:01:30.000Z';
  const answer = { step_ms: 60_000, total: 6, counted_until, buckets };
  berth.server.on('POST /v1/deployment/logs/histogram', answerJson(200, answer));
  const { code, stdout, stderr } = await berth.run(['logs', 'app', '--count', '--since', '2m']);
  expect([code, stdout]).toEqual([0, expect.stringMatching(/ERROR +2 .*\nINFO +4 /)]);
  expect(stderr).toContain(counted_until);
  expect(await berth.run(['logs', 'app', '--count'])).toMatchObject({ code: 2 });
});

test('fields and their values are listed, and a sample is said to be one', async () => {
  const field = { name: 'jsonPayload.user', entries: 9, values: [{ value: 'u-1', entries: 7 }], has_more: true };
  berth.server.on(
    'POST /v1/deployment/logs/fields',
    answerJson(200, { entries: 9, is_sampled: true, fields: [field] }),
  );
  const { code, stdout, stderr } = await berth.run(['logs', 'app', '--fields', '--since', '2m']);
  expect([code, stdout]).toEqual([0, expect.stringMatching(/jsonPayload\.user +9 +"u-1" \(7\), …/)]);
  expect(stderr).toContain('Based on a sample of 9 entries');
  expect(await berth.run(['logs', 'app', '--fields'])).toMatchObject({ code: 2 });
});

test('--by-instance asks for the instances, and --instance narrows to one', async () => {
  const asked: unknown[] = [];
  const one = { ...entry(1), instance: 'inst_1' };
  berth.server.on('POST /v1/deployment/logs', async (exchange) => {
    asked.push(await exchange.json());
    await answerJson(200, { logs: [one], cursor: one.timestamp })(exchange);
  });
  berth.server.on('GET /v1/deployment/logs/tail', ({ query, response }) => {
    asked.push(query.get('with_instance'));
    response.write(`id: ${entry(2).timestamp}\ndata: ${JSON.stringify({ ...entry(2), instance: null })}\n\n`);
  });
  const shown = await berth.run(['logs', 'app', '--by-instance', '--instance', 'i"1', '-q', 'a OR b']);
  expect(shown.stdout).toBe('2026-01-01T00:00:00.000000001Z inst_1 INFO m1\n');
  const query = 'resource.labels.instance_id="i\\"1" AND (a OR b\n)';
  expect(asked).toEqual([{ deployment_name: 'app', limit: 100, query, with_instance: true }]);
  const running = berth.start(['logs', 'app', '-f', '--by-instance']);
  await expect.poll(() => running.stdout, { timeout: 10_000 }).toContain(' - INFO m2');
  running.process.kill('SIGINT');
  await running.result;
  expect(asked.slice(1, 3)).toEqual([{ deployment_name: 'app', limit: 100, with_instance: true }, 'true']);
  expect((await berth.run(['logs', 'app', '--by-instance', '--count', '--since', '1h'])).code).toBe(2);
});
