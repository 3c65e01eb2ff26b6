import { createError, LIMITS } from '@berth/contract';
import { jsonBody, jsonResponse, registerStream } from '@berth/http';
import { type AccountId, createIdSource, createSystemClock } from '@berth/kit';
import { createFakeClock, createRecordingLogger } from '@berth/testkit';
import { z } from '@hono/zod-openapi';
import { describe, expect, test } from 'vitest';
import type { Api } from './api.ts';
import { type CreateApiOptions, createApi } from './create-api.ts';
import { defineRoute } from './define-route.ts';

const answerSchema = z.object({ sum: z.number() });

const addRoute = defineRoute('POST /v1/things/{id}/add', {
  scope: 'read',
  errors: ['not_found'],
  summary: 'Add',
  request: {
    params: z.object({ id: z.string().max(3) }),
    query: z.object({ limit: z.coerce.number().int().max(10).default(1) }),
    body: jsonBody(z.object({ a: z.int(), b: z.int().min(1), note: z.string().optional() })),
  },
  responses: { 200: jsonResponse(answerSchema, 'The sum') },
});

function setup(options: Partial<CreateApiOptions> = {}) {
  const logLines: string[] = [];
  const api: Api = createApi({
    logger: createRecordingLogger(logLines),
    clock: createSystemClock(),
    ids: createIdSource(),
    authenticate: async (headers) => {
      if (headers.get('x-api-key') !== 'good') throw createError('unauthenticated', 'no');
      return { kind: 'key', accountId: 'acc_1' as AccountId, scopes: ['read'], isOperator: false };
    },
    ...options,
  });
  api.openapi(addRoute, (c) => {
    const { a, b } = c.req.valid('json');
    return c.json({ sum: a + b }, 200);
  });
  api.get('/v1/throws/:what', (c) => {
    const what = c.req.param('what');
    if (what === 'bug') throw new Error('the secret is hunter2', { cause: new Error('deep') });
    if (what === 'plain') throw 'a string';
    if (what === 'busy') throw createError('too_many_requests', 'Slow down.', { details: { retryAfterSeconds: 7 } });
    if (what === 'down') throw createError('unavailable', 'Gone for now.');
    throw createError('archive_too_large', 'The archive is over 100 MiB.');
  });
  const post = async (body: BodyInit | undefined, headers: Record<string, string> = {}, id = '1', query = '') => {
    const response = await api.request(`/v1/things/${id}/add${query}`, {
      method: 'POST',
      headers: { 'X-API-Key': 'good', 'Content-Type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body, duplex: 'half' }),
    });
    return { status: response.status, headers: response.headers, body: (await response.json()) as { detail: unknown } };
  };
  const get = async (route: string, headers: Record<string, string> = { 'X-API-Key': 'good' }, method = 'GET') => {
    const response = await api.request(route, { method, headers });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  return { api, post, get, logLines };
}

describe('every answer', () => {
  test('carries a request id and forbids sniffing, whatever happened', async () => {
    const { get } = setup();
    for (const route of ['/healthz', '/nowhere', '/v1/nowhere', '/v1/throws/bug', '/openapi.json']) {
      const { headers } = await get(route);
      expect(headers.get('x-request-id')).toMatch(/^req_[0-9a-z]{26}$/);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
    }
  });

  test('takes over a request id that is harmless, and no other', async () => {
    const { get } = setup();
    const idFor = async (id: string) =>
      (await get('/healthz', { 'X-Request-Id': id })).headers.get('x-request-id') as string;
    expect(await idFor('0af7651916cd43dd8448eb211c80319c')).toBe('0af7651916cd43dd8448eb211c80319c');
    for (const bad of ['short', 'a b c d e f g', 'x'.repeat(129), '<script>alert</script>', '']) {
      expect(await idFor(bad)).toMatch(/^req_/);
    }
  });

  test('is a line in the log without the query', async () => {
    const { get, logLines } = setup();
    await get('/v1/throws/down?token=canary');
    const lines = logLines.map((line) => JSON.parse(line)).filter(({ message }) => message === 'request');
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({ method: 'GET', path: '/v1/throws/down', status: 503, accountId: 'acc_1' });
    expect(logLines.join()).not.toContain('canary');
  });
});

describe('errors', () => {
  test('a bug is 500, hidden from the caller and whole in the log', async () => {
    const { get, logLines } = setup();
    for (const what of ['bug', 'plain']) {
      const { status, text, headers } = await get(`/v1/throws/${what}`);
      expect(status).toBe(500);
      expect(text).not.toMatch(/hunter2|string/);
      expect(JSON.parse(text).detail).toContain(headers.get('x-request-id'));
      expect(logLines.some((line) => line.includes(headers.get('x-request-id') as string))).toBe(true);
    }
    expect(logLines.join()).toContain('hunter2');
    expect(logLines.join()).toContain('deep');
  });

  test('429 and 503 say when to come back', async () => {
    const { get } = setup();
    const busy = await get('/v1/throws/busy');
    expect([busy.status, busy.headers.get('retry-after'), busy.text]).toEqual([429, '7', '{"detail":"Slow down."}']);
    const down = await get('/v1/throws/down');
    expect([down.status, down.headers.get('retry-after')]).toEqual([503, '5']);
  });

  test('every 422 is a list', async () => {
    const { get } = setup();
    const { status, text } = await get('/v1/throws/archive');
    expect(status).toBe(422);
    const issue = { loc: ['body'], msg: 'The archive is over 100 MiB.', type: 'archive_too_large' };
    expect(JSON.parse(text)).toEqual({ detail: [issue] });
  });

  test('401 challenges', async () => {
    const { get } = setup();
    const { status, headers, text } = await get('/v1/throws/bug', {});
    expect([status, headers.get('www-authenticate'), text]).toEqual([401, 'Bearer', '{"detail":"no"}']);
  });
});

describe('paths', () => {
  test('unknown ones are 404 in the same shape, without a credential', async () => {
    const { get } = setup();
    for (const route of [
      '/',
      '/nowhere',
      '/v1/nowhere',
      '/v1/things/1/add/',
      '/v1/things//add',
      '/V1/throws/x',
      '/v1',
    ]) {
      const { status, text } = await get(route, {});
      expect([route, status]).toEqual([route, 404]);
      expect(JSON.parse(text).detail).toContain('No route');
    }
  });

  test('known ones with another method are 405 and say which they take', async () => {
    const { get } = setup();
    const things = await get('/v1/things/1/add', {}, 'PUT');
    expect([things.status, things.headers.get('allow')]).toEqual([405, 'POST']);
    const health = await get('/healthz', {}, 'POST');
    expect([health.status, health.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    expect(JSON.parse(health.text).detail).toContain('GET, HEAD');
  });

  test('HEAD is GET without its body', async () => {
    const { get } = setup();
    expect(await get('/healthz', {}, 'HEAD')).toMatchObject({ status: 200, text: '' });
    expect((await get('/v1/throws/down', { 'X-API-Key': 'good' }, 'HEAD')).status).toBe(503);
  });

  test('a route under /v1 that forgets its guard is guarded', async () => {
    const { get } = setup();
    expect((await get('/v1/throws/down', { 'X-API-Key': 'bad' })).status).toBe(401);
  });

  test('a guarded route outside of /v1 cannot be defined, nor an open one inside', () => {
    expect(() => defineRoute('GET /things', { scope: 'read', responses: {} })).toThrow('wrong place');
    expect(() => defineRoute('GET /v1/things', { scope: 'public', responses: {} })).toThrow('wrong place');
  });
});

describe('JSON bodies', () => {
  test('are read and validated', async () => {
    const { post } = setup();
    const { status, body } = await post('{"a":1,"b":2,"unknown":{"x":[1]}}');
    expect([status, body]).toEqual([200, { sum: 3 }]);
    expect((await post('{"a":1,"b":2}', { 'Content-Type': 'application/json; charset=UTF-8' })).status).toBe(200);
  });

  test('with several wrong fields are answered with all of them', async () => {
    const { post } = setup();
    const { status, body } = await post('{"b":0,"note":7}');
    expect(status).toBe(422);
    expect(body.detail).toEqual([
      { loc: ['body', 'a'], msg: 'Field required', type: 'missing' },
      { loc: ['body', 'b'], msg: expect.any(String), type: 'too_small' },
      { loc: ['body', 'note'], msg: expect.any(String), type: 'invalid_type' },
    ]);
  });

  test.each([
    ['nothing', '', 'missing'],
    ['half of one', '{"a":', 'json_invalid'],
    ['trailing text', '{"a":1,"b":2} x', 'json_invalid'],
    ['NaN', '{"a":NaN}', 'json_invalid'],
    ['bytes that are no UTF-8', new Uint8Array([0x22, 0xff, 0xfe, 0x22]), 'json_invalid'],
    ['an array', '[]', 'invalid_type'],
    ['null', 'null', 'invalid_type'],
    ['very deep', '['.repeat(100_000) + ']'.repeat(100_000), 'invalid_type'],
  ])('of %s are 422 at the body', async (_what, text, type) => {
    const { status, body } = await setup().post(text);
    expect(status).toBe(422);
    expect(body.detail).toEqual([{ loc: ['body'], msg: expect.any(String), type }]);
  });

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/xml',
    'application/jsonp',
    'application/json; charset=utf-16',
  ])('sent as %s are 415', async (type) => {
    expect((await setup().post('{"a":1,"b":2}', { 'Content-Type': type })).status).toBe(415);
  });

  test('without a type, or compressed, are 415', async () => {
    const { api, post } = setup();
    const bytes = new TextEncoder().encode('{"a":1,"b":2}');
    const untyped = { method: 'POST', headers: { 'X-API-Key': 'good' }, body: bytes };
    expect((await api.request('/v1/things/1/add', untyped)).status).toBe(415);
    expect((await post('{"a":1,"b":2}', { 'Content-Encoding': 'gzip' })).status).toBe(415);
  });

  test('may have the whole of their limit and not a byte more', async () => {
    const { post } = setup();
    const padded = (size: number) => `{"a":1,"b":2}${' '.repeat(size - 13)}`;
    expect((await post(padded(LIMITS.jsonBodyBytes))).status).toBe(200);
    expect((await post(padded(LIMITS.jsonBodyBytes + 1))).status).toBe(413);
  });

  test('without a length are given up on at the limit', async () => {
    let sentBytes = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        sentBytes += 65_536;
        controller.enqueue(new Uint8Array(65_536).fill(0x20));
      },
    });
    expect((await setup().post(endless)).status).toBe(413);
    expect(sentBytes).toBeLessThan(LIMITS.jsonBodyBytes + 5 * 65_536);
  });

  test('are not read before the credential is good', async () => {
    const { api } = setup();
    const body = new ReadableStream({
      pull() {
        throw new Error('it was read');
      },
    });
    const init = { method: 'POST', body, duplex: 'half' };
    const request = new Request('http://x/v1/things/1/add', init);
    expect((await api.request(request)).status).toBe(401);
    expect(request.bodyUsed).toBe(false);
  });
});

test('wrong paths and queries are 422 in their place', async () => {
  const { post } = setup();
  const path = await post('{"a":1,"b":2}', {}, 'long');
  expect([path.status, path.body.detail]).toEqual([
    422,
    [{ loc: ['path', 'id'], msg: expect.any(String), type: 'too_big' }],
  ]);
  for (const query of ['?limit=11', '?limit=x', '?limit=1&limit=2', '?limit=1.5']) {
    const { status, body } = await post('{"a":1,"b":2}', {}, '1', query);
    expect([query, status]).toEqual([query, 422]);
    expect(body.detail).toEqual([{ loc: ['query', 'limit'], msg: expect.any(String), type: expect.any(String) }]);
  }
});

describe('readiness', () => {
  test('is 200 while every check passes, else 503 with the names', async () => {
    let isUp = true;
    const checks = [
      { name: 'database', check: async () => 'A note.' },
      {
        name: 'runtime',
        check: async () => {
          if (!isUp) throw new Error('gone from /srv/secret');
          return undefined;
        },
      },
    ];
    const { get } = setup({ readinessChecks: checks });
    const well = await get('/readyz', {});
    expect([well.status, JSON.parse(well.text)]).toEqual([
      200,
      { status: 'ok', checks: { database: 'ok', runtime: 'ok' }, details: { database: 'A note.' } },
    ]);
    isUp = false;
    const { status, headers, text } = await get('/readyz', {});
    expect([status, headers.get('retry-after')]).toEqual([503, '1']);
    expect(JSON.parse(text)).toEqual({
      status: 'unavailable',
      checks: { database: 'ok', runtime: 'failed' },
      details: { database: 'A note.', runtime: "No response. See the platform's log." },
    });
    expect((await get('/healthz', {})).status).toBe(200);
  });

  test('does not wait for a check that hangs', async () => {
    const clock = createFakeClock();
    const { get } = setup({ clock, readinessChecks: [{ name: 'stuck', check: () => new Promise(() => {}) }] });
    const answer = get('/readyz', {});
    await clock.elapse(2_000);
    expect((await answer).status).toBe(503);
  });
});

describe('openapi.json', () => {
  test('has the version, both schemes, and the errors of a route by reference', async () => {
    const { get } = setup();
    const document = JSON.parse((await get('/openapi.json', {})).text);
    expect(document.openapi).toBe('3.1.0');
    expect(document.info.version).toBe('1.0.0');
    expect(document.components.securitySchemes).toMatchObject({
      APIKeyHeader: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
      HTTPBearer: { type: 'http', scheme: 'bearer' },
    });
    const { responses, security } = document.paths['/v1/things/{id}/add'].post;
    expect(security).toEqual([{ APIKeyHeader: ['read'] }, { HTTPBearer: ['read'] }]);
    const statuses = ['200', '400', '401', '403', '404', '413', '415', '422', '429', '500', '503'];
    expect(Object.keys(responses)).toEqual(statuses);
    for (const status of statuses.slice(1)) {
      const name = responses[status].$ref.split('/').at(-1);
      const shared = document.components.responses[name];
      const schema = status === '422' ? 'HTTPValidationError' : 'Error';
      expect(shared.content['application/json'].schema.$ref).toBe(`#/components/schemas/${schema}`);
      expect(Object.keys(shared.headers)).toContain('X-Request-Id');
      expect('WWW-Authenticate' in shared.headers).toBe(status === '401');
      expect('Retry-After' in shared.headers).toBe(status === '429' || status === '503');
    }
  });
});

test('a stream route is guarded and documented, and reads its body itself', async () => {
  const { api } = setup();
  const form = { content: { 'multipart/form-data': { schema: z.object({ file: z.string() }) } } };
  const route = defineRoute('POST /v1/stream/{id}', {
    scope: 'read',
    request: { body: form },
    responses: { 200: { description: 'yes' } },
  });
  registerStream(api, route, async (c) => {
    expect(c.req.raw.bodyUsed).toBe(false);
    return c.text(`${c.req.param('id')} ${(await c.req.raw.text()).length}`);
  });
  const send = (key: string) =>
    api.request('/v1/stream/7', { method: 'POST', headers: { 'X-API-Key': key }, body: 'x'.repeat(2_000_000) });
  expect((await send('bad')).status).toBe(401);
  expect(await (await send('good')).text()).toBe('7 2000000');
  const document = JSON.stringify(await (await api.request('/openapi.json')).json());
  expect(document).toContain('"/v1/stream/{id}"');
});
