import { BerthError } from '@berth/kit';
import { expect, test } from 'vitest';
import { answerJson, createScriptedServer } from '../testing/index.ts';
import { isConnectionError } from '../transport/connection-error.ts';
import { createClient } from './client.ts';

const credential = { apiKey: 'key-0123456789' };

test('either credential goes in its own header', async () => {
  await using server = await createScriptedServer({ 'GET /v1/deployment/list': answerJson(200, []) });
  await createClient({ baseUrl: `${server.url}/`, credential, userAgent: 'berth/1' }).get('/v1/deployment/list');
  await createClient({ baseUrl: server.url, credential: { bearer: 'token' } }).get('/v1/deployment/list');
  expect(server.headers[0]).toMatchObject({ 'x-api-key': 'key-0123456789', 'user-agent': 'berth/1' });
  expect(server.headers[0]?.authorization).toBeUndefined();
  expect(server.headers[1]).toMatchObject({ authorization: 'Bearer token' });
});

test('a key that no header can hold is refused without repeating it', () => {
  const make = () => createClient({ baseUrl: 'http://localhost', credential: { apiKey: 'se\ncret' } });
  expect(make).toThrow(/API key/);
  expect(make).not.toThrow(/se\ncret/);
});

test('names are escaped into the address', async () => {
  await using server = await createScriptedServer({
    'GET /v1/deployment/check-name': ({ query, response }) => {
      response
        .setHeader('content-type', 'application/json')
        .end(JSON.stringify({ available: false, reason: query.get('name') }));
    },
  });
  const client = createClient({ baseUrl: server.url, credential });
  expect((await client.get('/v1/deployment/check-name', { params: { query: { name: 'a/b?c&d=é' } } })).reason).toBe(
    'a/b?c&d=é',
  );
  await expect(client.get('/v1/deployment/{name}', { params: { path: { name: '../user' } } })).rejects.toMatchObject({
    code: 'not_found',
  });
  expect(server.requests.at(-1)).toBe('GET /v1/deployment/..%2Fuser');
});

test('a name that nothing has is undefined for find and an error for get', async () => {
  await using server = await createScriptedServer({
    'GET /v1/deployment/*': answerJson(404, { detail: 'No such deployment.' }),
  });
  const client = createClient({ baseUrl: server.url, credential });
  expect(await client.findDeployment('x')).toBeUndefined();
  await expect(client.get('/v1/deployment/{name}', { params: { path: { name: 'x' } } })).rejects.toThrow(
    'No such deployment.',
  );
});

test('a call that may be repeated is tried three times at 503, and its Retry-After kept', async () => {
  await using server = await createScriptedServer();
  let calls = 0;
  server.on('GET /v1/user', (exchange) => {
    calls++;
    if (calls < 3) return answerJson(503, { detail: 'Busy.' }, { 'retry-after': '0' })(exchange);
    return answerJson(200, { account: { id: 'a', name: 'me' }, email: null, scopes: [] })(exchange);
  });
  const client = createClient({ baseUrl: server.url, credential });
  expect((await client.get('/v1/user')).account.name).toBe('me');
  expect(calls).toBe(3);
});

test('a call that changes something is tried once', async () => {
  await using server = await createScriptedServer({
    'POST /v1/deployment/delete': answerJson(503, { detail: 'Busy.' }),
  });
  const client = createClient({ baseUrl: server.url, credential });
  await expect(client.post('/v1/deployment/delete', { body: { name: 'x' } })).rejects.toMatchObject({
    code: 'unavailable',
    message: 'Busy.',
  });
  expect(server.requests).toHaveLength(1);
});

test('a connection that breaks is tried again; a server that is not there is said so', async () => {
  await using server = await createScriptedServer();
  let calls = 0;
  server.on('GET /v1/deployment/list', (exchange) => {
    calls++;
    if (calls === 1) exchange.response.socket?.destroy();
    else answerJson(200, [])(exchange);
  });
  const client = createClient({ baseUrl: server.url, credential });
  expect(await client.get('/v1/deployment/list')).toEqual([]);
  await server.close();
  const failure = await client.get('/v1/deployment/list').catch((error: unknown) => error);
  expect(isConnectionError(failure)).toBe(true);
  expect(String(failure)).toMatch(/nothing is listening there/);
  expect(String(failure)).toContain(server.url);
});

test('a redirect is not followed: the key stays here', async () => {
  await using other = await createScriptedServer({ 'GET /v1/user': answerJson(200, {}) });
  await using server = await createScriptedServer({
    'GET /v1/user': ({ response }) => {
      response.writeHead(302, { location: `${other.url}/v1/user` }).end();
    },
  });
  await expect(createClient({ baseUrl: server.url, credential }).get('/v1/user')).rejects.toThrow(/redirects to/);
  expect(other.requests).toEqual([]);
});

test('a server that is not Berth is told as such', async () => {
  await using server = await createScriptedServer({
    'GET /v1/user': ({ response }) => {
      response.end('<html>hello</html>');
    },
    'GET /v1/deployment/list': answerJson(200, { hello: 1 }),
  });
  const client = createClient({ baseUrl: server.url, credential });
  await expect(client.get('/v1/user')).rejects.toThrow(/Is it a Berth server/);
  await expect(client.get('/v1/deployment/list')).rejects.toThrow(/not a list/);
});

test('an address that cannot be one is refused at once', () => {
  for (const baseUrl of ['localhost:8787', 'ftp://x', '', 'http://']) {
    expect(() => createClient({ baseUrl }), baseUrl).toThrow(/is not a URL/);
  }
  expect(() => createClient({ baseUrl: 'http://me:pw@host' })).toThrow(/must not contain/);
  expect(createClient({ baseUrl: 'http://HOST:80/berth/?x#y' }).baseUrl).toBe('http://host/berth');
});

test('a call that is given up throws its reason and nothing else', async () => {
  await using server = await createScriptedServer({ 'GET /v1/user': () => {} });
  const giveUp = new AbortController();
  const call = createClient({ baseUrl: server.url, credential }).get('/v1/user', { signal: giveUp.signal });
  giveUp.abort(new Error('enough'));
  await expect(call).rejects.toThrow('enough');
  await expect(call).rejects.not.toSatisfy((error) => BerthError.is(error));
});

// Fails when the settings of a route are looked up by its path alone: then a created key is taken for a list that is none.
test('a list is checked where it is read, not where a row is added to it', async () => {
  await using server = await createScriptedServer({
    'POST /v1/user/keys': answerJson(200, { id: 'key_1', secret: 'sec' }),
    'GET /v1/user/keys': answerJson(200, { hello: 1 }),
  });
  const client = createClient({ baseUrl: server.url, credential });
  expect(await client.post('/v1/user/keys', { body: { name: 'ci', scopes: ['read'] } })).toMatchObject({
    secret: 'sec',
  });
  await expect(client.get('/v1/user/keys')).rejects.toThrow(/not a list/);
});

// Fails when isIdempotent is not read from CONTROL_ROUTES.
test('a query is sent again at 503, for it changes nothing', async () => {
  await using server = await createScriptedServer();
  let calls = 0;
  server.on('POST /v1/sql', (exchange) => {
    calls++;
    if (calls < 3) return answerJson(503, { detail: 'Busy.' }, { 'retry-after': '0' })(exchange);
    return answerJson(200, [{ n: 1 }])(exchange);
  });
  const client = createClient({ baseUrl: server.url, credential });
  expect(await client.post('/v1/sql', { body: { query: 'SELECT 1' } })).toEqual([{ n: 1 }]);
  expect(calls).toBe(3);
});

// Fails when undefined is written into the address as text.
test('query fields that are undefined are left out', async () => {
  await using server = await createScriptedServer({
    'GET /v1/user/audit': answerJson(200, { entries: [], next_page_token: null }),
  });
  const client = createClient({ baseUrl: server.url, credential });
  await client.get('/v1/user/audit', { params: { query: { actor: undefined, limit: 2, action: 'a&b' } } });
  expect(server.requests).toEqual(['GET /v1/user/audit?limit=2&action=a%26b']);
});
