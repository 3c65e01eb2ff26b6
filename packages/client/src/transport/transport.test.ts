import { BerthError } from '@berth/kit';
import { createFakeClock } from '@berth/testkit';
import { describe, expect, test } from 'vitest';
import { createClient } from '../control/client.ts';
import { isConnectionError } from './connection-error.ts';

/** An answer of the server, or what `fetch` fails with. */
type Answer = (request: Request) => Response | Error | Promise<Response>;

const json = (status: number, value: unknown, headers: Record<string, string> = {}) =>
  Response.json(value, { status, headers });
const refused = () => new TypeError('fetch failed', { cause: Object.assign(new Error('x'), { code: 'ECONNREFUSED' }) });

/** A client whose requests get these answers in turn, the last one again and again. */
function connect(answers: readonly Answer[], more: Partial<Parameters<typeof createClient>[0]> = {}) {
  const asked: string[] = [];
  const waits: number[] = [];
  const clock = createFakeClock();
  const fake: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    asked.push(`${request.method} ${new URL(request.url).pathname}`);
    const answer = await answers[Math.min(asked.length, answers.length) - 1]?.(request);
    if (answer instanceof Response) return answer;
    throw answer;
  };
  const sleep = async (delayMs: number, signal?: AbortSignal) => {
    waits.push(delayMs);
    signal?.throwIfAborted();
  };
  const client = createClient({
    ...{ baseUrl: 'https://b.test', credential: { apiKey: 'key' }, fetch: fake, clock: { ...clock, sleep } },
    ...more,
  });
  return { client, asked, waits, clock };
}

const busy = (headers: Record<string, string> = {}) => json(503, { detail: 'Busy.' }, headers);
const me = () => json(200, { account: { name: 'me' } });

describe('a call that may be repeated', () => {
  test('waits longer before each try, and throws the last error', async () => {
    const { client, asked, waits } = connect([refused, () => busy()]);
    await expect(client.get('/v1/user')).rejects.toThrow('Busy.');
    // Fails when the bound or the growth of the wait is another.
    expect([asked.length, waits]).toEqual([3, [200, 400]]);
  });

  test('waits as long as the server asks, and not for one that asks for too long', async () => {
    const short = connect([() => busy({ 'retry-after': '3' }), me]);
    await short.client.get('/v1/user');
    // Fails when `Retry-After` is not kept: a server that is overloaded would be asked all the more.
    expect(short.waits).toEqual([3_000]);
    const long = connect([() => busy({ 'retry-after': '6' })]);
    await expect(long.client.get('/v1/user')).rejects.toMatchObject({ details: { retryAfterMs: 6_000 } });
    // Fails when any wait is kept: a person would sit before a command that seems to hang.
    expect([long.asked.length, long.waits]).toEqual([1, []]);
  });

  test.each([400, 401, 403, 404, 409, 422, 501])('is not repeated at %i', async (status) => {
    const { client, asked } = connect([() => json(status, { detail: 'No.' })]);
    await expect(client.get('/v1/user')).rejects.toMatchObject({ status, message: 'No.' });
    expect(asked).toHaveLength(1);
  });

  test('is not repeated once it is given up, and throws the reason of its signal', async () => {
    const stop = new AbortController();
    const answer = () => {
      stop.abort(new Error('enough'));
      return busy();
    };
    const { client, asked, waits } = connect([answer]);
    await expect(client.get('/v1/user', { signal: stop.signal })).rejects.toThrow();
    // Fails when the signal isn't looked at before the wait.
    expect([asked.length, waits]).toEqual([1, []]);
    const before = connect([refused]);
    await expect(before.client.get('/v1/user', { signal: AbortSignal.abort(new Error('before')) })).rejects.toThrow(
      'before',
    );
  });
});

// Fails when one of these is repeated: a deployment would be made, changed or paid for twice.
test.each([
  [
    'POST /v1/user/keys',
    (client: ReturnType<typeof createClient>) => client.post('/v1/user/keys', { body: { name: 'a' } }),
  ],
  ['POST /v1/env/set', (client) => client.post('/v1/env/set', { body: { deployment_name: 'a', set: {}, unset: [] } })],
  ['POST /v1/schedule/run', (client) => client.post('/v1/schedule/run', { body: { name: 'a' } })],
  ['DELETE /v1/user/keys', (client) => client.delete('/v1/user/keys', { params: { query: { id: 'a' } } })],
  ['POST /v1/deployment/rollback', (client) => client.rollback('a').next()],
])('%s is sent once, also when it is not known whether it arrived', async (line, call) => {
  const { client, asked } = connect([refused]);
  const failure = await call(client).catch((error: unknown) => error);
  expect([isConnectionError(failure), asked]).toEqual([true, [line]]);
});

describe('a session that has ended', () => {
  const denied = () => json(401, { detail: 'The session has ended.' });

  test('is renewed once, and the call made again', async () => {
    const paths: string[] = [];
    const renewSession = async (path: string) => paths.push(path) > 0;
    const good = connect([denied, me], { renewSession });
    expect(await good.client.get('/v1/user')).toMatchObject({ account: { name: 'me' } });
    expect([good.asked.length, paths]).toEqual([2, ['/v1/user']]);
    const bad = connect([denied], { renewSession });
    await expect(bad.client.post('/v1/user/keys', { body: { name: 'a' } })).rejects.toThrow('The session has ended.');
    // Fails when a second refusal is renewed too: the two would go on for ever.
    expect([bad.asked.length, paths.length]).toEqual([2, 2]);
  });

  test('that can’t be renewed is refused; other refusals renew nothing', async () => {
    let renewals = 0;
    const renewSession = async () => ++renewals < 0;
    await expect(connect([denied], { renewSession }).client.get('/v1/user')).rejects.toMatchObject({ status: 401 });
    expect(renewals).toBe(1);
    const forbidden = connect([() => json(403, { detail: 'No.' })], { renewSession });
    await expect(forbidden.client.get('/v1/user')).rejects.toMatchObject({ status: 403 });
    expect(renewals).toBe(1);
  });

  test('is renewed for a stream too', async () => {
    const body = `${JSON.stringify({ status: 'DONE', message: '', time: '', deploy_id: 'd', seq: 1 })}\n`;
    const { client, asked } = connect([denied, () => new Response(body)], { renewSession: async () => true });
    expect((await client.followDeploy('d').next()).value?.status).toBe('DONE');
    expect(asked).toHaveLength(2);
  });
});

describe('a stream', () => {
  test('that is not answered for half a minute is given up', async () => {
    const never: Answer = ({ signal }) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    const { client, clock } = connect([never]);
    const failure = client.openBackup().catch((error: unknown) => error);
    await clock.elapse(30_000);
    // Fails when `open` sets no limit: a server that is frozen would hold a command for ever.
    expect(await failure).toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('the request timed out'),
    });
    expect(clock.pending).toBe(0);
  });

  test('that is answered may take as long as it likes', async () => {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const writer = writable.getWriter();
    const answer: Answer = ({ signal }) => {
      signal.addEventListener('abort', () => void writer.abort(signal.reason));
      return new Response(readable);
    };
    const { client, clock } = connect([answer]);
    const reader = (await client.openBackup()).getReader();
    // Fails when the limit isn't ended by the answer: a backup of more than half a minute would break off.
    await clock.elapse(3_600_000);
    writer.write(new Uint8Array([1])).catch(() => {});
    expect(await reader.read()).toEqual({ done: false, value: new Uint8Array([1]) });
  });

  test('without a body is an error, not an empty one', async () => {
    const { client } = connect([() => new Response(null, { status: 200 })]);
    await expect(client.openBackup()).rejects.toSatisfy((error) => BerthError.is(error));
  });
});

test('an answer without content is undefined, and one that should have some is an error', async () => {
  const { client } = connect([() => new Response(null, { status: 204 })]);
  expect(await client.get('/v1/user')).toBeUndefined();
  const cut = connect([() => new Response('{"account":', { headers: { 'content-type': 'application/json' } })]);
  await expect(cut.client.get('/v1/user')).rejects.toThrow('is not JSON. Is it a Berth server?');
});

test('a sign-in without its token is an error, and a poll answers what the server waits for', async () => {
  const { client } = connect([() => json(200, { expires_at: '', user: {} })]);
  // Fails when the token isn't looked at: `undefined` would be stored as the session.
  await expect(client.signIn({ email: 'a', password: 'b' })).rejects.toThrow('has no token');
  for (const reason of ['authorization_pending', 'slow_down']) {
    expect(await connect([() => json(400, { error: reason })]).client.pollDevice('d')).toBe(reason);
  }
  await expect(
    connect([() => json(400, { error: 'expired_token', detail: 'Too late.' })]).client.pollDevice('d'),
  ).rejects.toThrow('Too late.');
});
