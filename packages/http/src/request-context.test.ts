import { createError } from '@berth/contract';
import { BerthError, createIdSource } from '@berth/kit';
import { createFakeClock, createRecordingLogger } from '@berth/testkit';
import { OpenAPIHono } from '@hono/zod-openapi';
import { HTTPException } from 'hono/http-exception';
import { expect, test } from 'vitest';
import type { HttpVariables } from './http-env.ts';
import { renderError } from './render-error.ts';
import { type RequestContextOptions, requestContext } from './request-context.ts';
import { createRouteTable } from './route-table.ts';

/** An application whose `/thrown` throws `thrown`, with what it logs. */
function open({ thrown, ...options }: Partial<RequestContextOptions> & { readonly thrown?: unknown } = {}) {
  const lines: string[] = [];
  const clock = createFakeClock();
  const app = new OpenAPIHono<{ Variables: HttpVariables }>();
  app.onError(renderError);
  app.use('*', requestContext({ clock, logger: createRecordingLogger(lines), ids: createIdSource(), ...options }));
  app.get('/fine', (c) => c.text('fine'));
  app.get('/healthz', (c) => c.text('fine'));
  app.get('/slow', (c) => {
    clock.advance(12.34);
    c.get('logger').warn({ step: 1 }, 'said by the handler');
    return c.text('fine');
  });
  app.get('/thrown', () => {
    throw thrown;
  });
  const logged = () => lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  return { app, logged };
}

const answerTo = async (thrown: unknown) => {
  const { app, logged } = open({ thrown });
  const answer = await app.request('/thrown');
  return { answer, body: (await answer.json()) as Record<string, unknown>, logged: logged() };
};

// Fails when only instances of Error are rendered: Hono would pass an abort reason on as a broken response.
test.each([
  ['a bug', new TypeError('secret inside')],
  ['a text', 'secret inside'],
  ['nothing', undefined],
  ['an object', { secret: 'inside' }],
  ['an answer of a library above 499', new HTTPException(502, { message: 'secret inside' })],
])('%s that is thrown is 500, hidden from the client and named by its id in the log', async (_what, thrown) => {
  const { answer, body, logged } = await answerTo(thrown);
  const id = answer.headers.get('x-request-id');
  expect(answer.status).toBe(500);
  expect(body).toEqual({
    detail: `Internal error. The server's log has details under request ID ${id}.`,
  });
  expect(logged.map(({ level, message, requestId }) => ({ level, message, requestId }))).toEqual([
    { level: 'error', message: 'request failed', requestId: id },
    { level: 'info', message: 'request', requestId: id },
  ]);
});

test("a library's own refusal keeps its status, in the shape of every error", async () => {
  const { answer, body, logged } = await answerTo(new HTTPException(413, { message: 'Payload Too Large' }));
  expect([answer.status, body]).toEqual([413, { detail: 'Payload Too Large' }]);
  expect(logged.map(({ level }) => level)).toEqual(['info']);
  // A status that no code has.
  expect((await answerTo(new HTTPException(418, { message: 'teapot' }))).answer.status).toBe(400);
});

// Fails when 0 counts as no value.
test.each([
  ['a 503', createError('unavailable', 'x'), '5'],
  ['a 429 with its own time', createError('too_many_requests', 'x', { details: { retryAfterSeconds: 30 } }), '30'],
  ['a 409 with a time', createError('conflict', 'x', { details: { retryAfterSeconds: 2 } }), '2'],
  ['a 503 that ends at once', createError('unavailable', 'x', { details: { retryAfterSeconds: 0 } }), '0'],
  ['a 409', createError('conflict', 'x'), null],
])('%s says when to come back', async (_what, error, seconds) => {
  expect((await answerTo(error)).answer.headers.get('retry-after')).toBe(seconds);
});

test('details that a client needs are in headers and in the body, and no others', async () => {
  const challenge = 'Bearer error="invalid_token"';
  expect(
    (await answerTo(createError('unauthenticated', 'x', { details: { challenge } }))).answer.headers.get(
      'www-authenticate',
    ),
  ).toBe(challenge);
  const { body } = await answerTo(
    createError('conflict', 'It runs.', { details: { body: { run_id: 'r1' }, internal: 'canary' } }),
  );
  expect(body).toEqual({ detail: 'It runs.', run_id: 'r1' });
  // Fails when the body of the details comes last.
  const shadow = await answerTo(createError('conflict', 'Real.', { details: { body: { detail: 'Forged.' } } }));
  expect(shadow.body).toEqual({ detail: 'Real.' });
  // A 422 is a list even when no field is at fault.
  expect((await answerTo(createError('build_failed', 'No program.'))).body).toEqual({
    detail: [{ loc: ['body'], msg: 'No program.', type: 'build_failed' }],
  });
});

// Fails with `instanceof`: an agent's project may bring another copy of the library.
test('an error of another copy of the library is rendered like its own', async () => {
  const foreign = Object.assign(new Error('It is taken.'), {
    [Symbol.for('berth.error')]: true,
    code: 'conflict',
    status: 409,
    isRetryable: false,
    details: {},
  });
  expect(foreign instanceof BerthError).toBe(false);
  const { answer, body } = await answerTo(foreign);
  expect([answer.status, body]).toEqual([409, { detail: 'It is taken.' }]);
});

test('each request is one line with its duration, under the id that its handler logs with', async () => {
  const { app, logged } = open({ logFields: (c) => ({ account: 'acc', of: c.req.method }) });
  const answer = await app.request('/slow?token=canary', { headers: { 'X-Request-Id': 'from-the-client' } });
  expect(answer.headers.get('x-request-id')).toBe('from-the-client');
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  expect(logged()).toEqual([
    { level: 'warn', message: 'said by the handler', requestId: 'from-the-client', step: 1 },
    {
      level: 'info',
      message: 'request',
      requestId: 'from-the-client',
      method: 'GET',
      path: '/slow',
      status: 200,
      durationMs: 12.3,
      account: 'acc',
      of: 'GET',
    },
  ]);
});

// Fails when any id is taken over: a client could write lines of its own into the log.
test.each(['short', '-starts-wrong', 'has space', 'x'.repeat(129), 'tab\tinside', 'ünicode-id-1'])(
  'the id %j is replaced',
  async (given) => {
    const { app } = open();
    const headers = new Headers();
    headers.set('X-Request-Id', Buffer.from(given).toString('latin1'));
    expect((await app.request('/fine', { headers })).headers.get('x-request-id')).toMatch(/^req_[0-9a-z]{26}$/);
  },
);

test('health checks are logged apart, and every answer is finished', async () => {
  const finished: number[] = [];
  const { app, logged } = open({
    thrown: createError('conflict', 'x'),
    probes: ['/healthz'],
    finish: (c) => void finished.push(c.res.status),
  });
  for (const path of ['/healthz', '/fine', '/thrown', '/healthz/']) await app.request(path);
  expect(logged().map(({ level, path }) => `${level} ${path}`)).toEqual([
    'debug /healthz',
    'info /fine',
    'info /thrown',
    'info /healthz/',
  ]);
  expect(finished).toEqual([200, 200, 409, 404]);
});

test('a path in the log has a bound', async () => {
  const { app, logged } = open();
  await app.request(`/${'a'.repeat(5_000)}`);
  expect(String(logged()[0]?.['path'])).toHaveLength(512);
});

// Fails when middleware counts as a route, or the characters of a path are read as a pattern.
test('the table of routes knows what a path takes', () => {
  const app = new OpenAPIHono();
  app.use('/v1/*', async (_c, next) => next());
  app.get('/v1/a.b', (c) => c.text('x'));
  app.post('/v1/a.b', (c) => c.text('x'));
  app.delete('/v1/items/:id{[a-z]+}/parts/:rest{.+}', (c) => c.text('x'));
  app.all('/mcp', (c) => c.text('x'));
  const { problem } = createRouteTable(app);
  expect(problem('GET', '/v1/a.b')).toBeUndefined();
  expect(problem('HEAD', '/v1/a.b')).toBeUndefined();
  expect(problem('PATCH', '/mcp')).toBeUndefined();
  expect(problem('DELETE', '/v1/items/abc/parts/x/y')).toBeUndefined();
  expect(problem('PUT', '/v1/a.b')).toMatchObject({
    status: 405,
    message: "/v1/a.b doesn't allow PUT. Allowed: GET, HEAD, POST.",
    details: { allow: 'GET, HEAD, POST' },
  });
  for (const path of ['/v1/axb', '/v1/items/ABC/parts/x', '/v1/items/abc/parts', '/v1/', '/v1/a.b/c']) {
    expect([path, problem('DELETE', path)?.status]).toEqual([path, 404]);
  }
  expect(problem('GET', `/${'a'.repeat(999)}`)?.message).toBe(`No route /${'a'.repeat(199)}.`);
});
