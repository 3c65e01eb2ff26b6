import { connectorClientSchema } from '@berth/contract/agent';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mcp } from '../declare/mcp.ts';
import { createAgentAddress } from './agent-address.ts';
import { clientMetadata } from './client-document.ts';
import { type ConsentFixture, openConsentAgent } from './testing/consent-agent.ts';
import { openForeignServer } from './testing/open-foreign-server.ts';
import { openTestProvider } from './testing/test-provider.ts';

let fixture: ConsentFixture;

beforeAll(async () => {
  fixture = await openConsentAgent({ K_SERVICE: 'helper', BERTH_ISSUER: 'http://localhost:8787' });
});
afterAll(() => fixture[Symbol.asyncDispose]());

test('an agent with an address of its own is a client by its document', async () => {
  const { agent, back, consent, provider } = fixture;
  const outside = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'helper.apps.example.com' };
  const base = 'https://helper.apps.example.com/connectors/notes';
  const document = connectorClientSchema.parse(
    await (await agent.call(undefined, 'GET', '/connectors/notes/client.json', undefined, outside)).json(),
  );
  expect(document).toMatchObject({ client_id: `${base}/client.json`, redirect_uris: [`${base}/callback`] });
  expect(document.application_type).toBe('web');
  const before = provider.asked('/register').length;
  const begun = await agent.call('ann', 'POST', '/connectors/notes/authorize', undefined, outside);
  expect(begun.headers.get('set-cookie')).toMatch(/^__Host-berth-connect=[\w-]{32}; .*HttpOnly; Secure; SameSite=Lax$/);
  const { url } = (await begun.json()) as { url: string };
  expect(new URL(url).searchParams.get('client_id')).toBe(`${base}/client.json`);
  expect((await back(await consent({ url: new URL(url) }))).status).toBe(200);
  expect(provider.asked('/register').length).toBe(before);
});

// Fails when the mark is also read without its prefix over https, and when the scheme at the beginning alone decides.
test('over https a sibling host cannot plant the mark of whoever began a consent', async () => {
  const { agent, back, begin, consent, provider, row } = fixture;
  const https = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'helper.apps.example.com' };
  const http = { 'x-forwarded-host': 'helper.apps.example.com' };
  const before = provider.asked('/token').length;
  for (const began of [https, http]) {
    const begun = await begin('mallory', 'notes', '', began);
    const [, mark] = /berth-connect=([\w-]{32});/.exec(begun.cookie) ?? [];
    const planted = { ...https, cookie: `berth-connect=${mark}`, 'user-agent': 'Mozilla/5.0', accept: 'text/html' };
    const path = await consent(begun);
    const asked = await back(path, planted);
    const html = await asked.text();
    expect(html).toContain('started elsewhere by mallory');
    expect(asked.headers.get('set-cookie')).toMatch(/^__Host-berth-connect=/);
    expect(asked.headers.get('set-cookie')).not.toContain(mark);
    const word = /name="confirmation" value="([^"]+)"/.exec(html)?.[1] ?? '';
    await agent.call(undefined, 'POST', path, `confirmation=${encodeURIComponent(word)}`, planted);
  }
  expect(provider.asked('/token').length).toBe(before);
  expect((await row('mallory', 'notes'))?.connected).toBe(false);
});

test('a registration that the provider forgot is made anew', async () => {
  const { back, begin, consent, provider } = fixture;
  const begun = await begin('ann', 'notes');
  const path = await consent(begun);
  provider.misbehave('/token', () => ({ status: 401, body: { error: 'invalid_client' } }));
  expect((await back(path)).status).toBe(400);
  provider.misbehave('/token', undefined);
  const anew = await begin('ann', 'notes');
  expect(anew.url.searchParams.get('client_id')).not.toBe(begun.url.searchParams.get('client_id'));
  expect((await back(await consent(anew))).status).toBe(200);
});

test('the secret of a registration is sent as the provider wants it, until it ends', async () => {
  const { back, begin, clock, consent, provider } = fixture;
  provider.misbehave('/register', () => ({
    status: 201,
    body: {
      client_id: 'known',
      client_secret: 'hush',
      token_endpoint_auth_method: 'client_secret_post',
      client_secret_expires_at: clock.nowMs() / 1_000 + 7_200,
    },
  }));
  const before = provider.asked('/register').length;
  // Where no one registered yet: another connector has another address to come back to.
  const connect = async () => (await back(await consent(await begin('gil', 'minutes')))).status;
  expect([await connect(), await connect(), provider.asked('/register').length - before]).toEqual([200, 200, 1]);
  expect(provider.asked('/token').at(-1)?.form.get('client_secret')).toBe('hush');
  clock.advance(3_601_000);
  expect([await connect(), provider.asked('/register').length - before]).toEqual([200, 2]);
  provider.misbehave('/register', () => ({
    status: 400,
    body: { error: 'invalid_redirect_uri', error_description: '<b>' },
  }));
  clock.advance(3_601_000);
  const detail = /did not register the agent; see the agent's log\. The agent's owner can register it manually and/;
  expect(await begin('gil', 'minutes')).toMatchObject({ status: 503, detail: expect.stringMatching(detail) });
  // Fails when the provider's reason is dropped: no one could tell what to change.
  expect(fixture.lines.find((line) => line.includes('did not register'))).toMatch(/invalid_redirect_uri.*<b>/);
  provider.misbehave('/register', undefined);
});

test('a client is known to the issuer that registered it, and to no other', async () => {
  const { agent, back, begin, provider } = fixture;
  await using other = await openTestProvider({ resourceMetadata: { resource: provider.resource } });
  const path = '/.well-known/oauth-protected-resource/mcp';
  provider.misbehave(path, () => ({ body: { resource: provider.resource, authorization_servers: [other.url] } }));
  const begun = await begin('ann', 'notes');
  expect([begun.url.origin, other.asked('/register').length]).toEqual([other.url, 1]);
  expect((await back((await other.consent(begun.url.href)).slice(agent.url.length))).status).toBe(200);
  expect(other.asked('/token').map(({ form }) => form.get('client_id'))).toEqual([
    begun.url.searchParams.get('client_id'),
  ]);
  provider.misbehave(path, undefined);
  // Nor is a secret of the owner's given to whom a server names.
  const auth = { type: 'oauth', clientId: 'known', clientSecret: 'hush' } as const;
  expect(() => mcp({ name: 'notes', url: provider.resource, auth })).toThrow('issuer is required with clientSecret');
});

// Fails when the code is exchanged with another redirect URI than the one that is registered.
test('on a machine of its developer an agent consents by way of the platform', async () => {
  const { back, begin, provider } = fixture;
  const begun = await begin('ann', 'notes', '', { 'x-forwarded-host': 'helper.localhost:8787' });
  const relayed = new URL(await provider.consent(begun.url.href));
  expect(relayed.origin + relayed.pathname).toBe('http://localhost:8787/oauth2/connectors/helper/notes');
  const cookie = begun.cookie.split(';')[0] ?? '';
  const browser = { cookie, 'user-agent': 'Mozilla/5.0', 'x-forwarded-host': 'helper.localhost:8787' };
  const answer = await back(`/connectors/notes/callback${relayed.search}`, browser);
  expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('is connected')]);
});

// Fails when the type is `native` for `helper.localhost`, or the platform's relay isn't used there.
test.each([
  ['http://localhost:3000', {}, 'native', 'http://localhost:3000/connectors/notes/callback'],
  ['http://helper.localhost:3000', {}, 'web', 'http://helper.localhost:3000/connectors/notes/callback'],
  [
    'http://helper.localhost:8787',
    { K_SERVICE: 'helper', BERTH_ISSUER: 'http://localhost:8787' },
    'native',
    'http://localhost:8787/oauth2/connectors/helper/notes',
  ],
  [
    'https://helper.apps.example.com',
    { K_SERVICE: 'helper', BERTH_ISSUER: 'https://api.apps.example.com' },
    'web',
    'https://helper.apps.example.com/connectors/notes/callback',
  ],
])('a provider that checks redirects registers an agent at %s', async (origin, environment, type, redirectUri) => {
  await using provider = await openForeignServer();
  const uri = createAgentAddress(environment).registrationUri(origin, 'notes');
  const metadata = clientMetadata(origin, uri, 'Helper');
  expect([metadata.application_type, uri]).toEqual([type, redirectUri]);
  const register = (body: object) =>
    fetch(`${provider.issuer}/reg`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...body, token_endpoint_auth_method: 'none' }),
    });
  const answer = await register(metadata);
  expect([answer.status, await answer.json()]).toEqual([201, expect.objectContaining({ redirect_uris: [uri] })]);
});
