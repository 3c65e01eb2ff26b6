import { BerthError } from '@berth/kit';
import { expect, test } from 'vitest';
import { createClient } from './client.ts';
import { isConnectionError } from './connection-error.ts';
import { answerJson, createScriptedServer } from './testing/index.ts';

const credential = { apiKey: 'key-0123456789' };

test('either credential goes in its own header', async () => {
  await using server = await createScriptedServer({ 'GET /v1/deployment/list': answerJson(200, []) });
  await createClient({ baseUrl: `${server.url}/`, credential, userAgent: 'berth/1' }).listDeployments();
  await createClient({ baseUrl: server.url, credential: { bearer: 'token' } }).listDeployments();
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
  expect((await client.checkName('a/b?c&d=é')).reason).toBe('a/b?c&d=é');
  await expect(client.getDeployment('../user')).rejects.toMatchObject({ code: 'not_found' });
  expect(server.requests.at(-1)).toBe('GET /v1/deployment/..%2Fuser');
});

test('a name that nothing has is undefined for find and an error for get', async () => {
  await using server = await createScriptedServer({
    'GET /v1/deployment/*': answerJson(404, { detail: 'No such deployment.' }),
  });
  const client = createClient({ baseUrl: server.url, credential });
  expect(await client.findDeployment('x')).toBeUndefined();
  await expect(client.getDeployment('x')).rejects.toThrow('No such deployment.');
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
  expect((await client.whoami()).account.name).toBe('me');
  expect(calls).toBe(3);
});

test('a call that changes something is tried once', async () => {
  await using server = await createScriptedServer({
    'POST /v1/deployment/delete': answerJson(503, { detail: 'Busy.' }),
  });
  const client = createClient({ baseUrl: server.url, credential });
  await expect(client.deleteDeployment('x')).rejects.toMatchObject({ code: 'unavailable', message: 'Busy.' });
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
  expect(await client.listDeployments()).toEqual([]);
  await server.close();
  const failure = await client.listDeployments().catch((error: unknown) => error);
  expect(isConnectionError(failure)).toBe(true);
  expect(String(failure)).toMatch(/nothing listens there/);
  expect(String(failure)).toContain(server.url);
});

test('a redirect is not followed: the key stays here', async () => {
  await using other = await createScriptedServer({ 'GET /v1/user': answerJson(200, {}) });
  await using server = await createScriptedServer({
    'GET /v1/user': ({ response }) => {
      response.writeHead(302, { location: `${other.url}/v1/user` }).end();
    },
  });
  await expect(createClient({ baseUrl: server.url, credential }).whoami()).rejects.toThrow(/redirects to/);
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
  await expect(client.whoami()).rejects.toThrow(/Is it a Berth server/);
  await expect(client.listDeployments()).rejects.toThrow(/not a list/);
});

test('an address that can not be one is refused at once', () => {
  for (const baseUrl of ['localhost:8787', 'ftp://x', '', 'http://']) {
    expect(() => createClient({ baseUrl }), baseUrl).toThrow(/is not an address/);
  }
  expect(() => createClient({ baseUrl: 'http://me:pw@host' })).toThrow(/must not hold/);
  expect(createClient({ baseUrl: 'http://HOST:80/berth/?x#y' }).baseUrl).toBe('http://host/berth');
});

test('a call that is given up throws its reason and nothing else', async () => {
  await using server = await createScriptedServer({ 'GET /v1/user': () => {} });
  const giveUp = new AbortController();
  const call = createClient({ baseUrl: server.url, credential }).whoami({ signal: giveUp.signal });
  giveUp.abort(new Error('enough'));
  await expect(call).rejects.toThrow('enough');
  await expect(call).rejects.not.toSatisfy((error) => BerthError.is(error));
});
