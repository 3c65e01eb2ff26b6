import { createOutbound } from '@berth/agent-core';
import type { AgentStores, OwnerKey } from '@berth/agent-store';
import { createSqlStores, openAgentDatabase } from '@berth/agent-store/sql';
import { createIdSource, createSystemClock } from '@berth/kit';
import { createFakeClock, createRecordingLogger, waitUntil } from '@berth/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Connector, OAuthAuth } from '../connector/connector.ts';
import type { HeldCredential, OAuthCredential } from '../connector/grants.ts';
import { createSecretRing } from '../credentials/create-secret-ring.ts';
import { createVault } from '../credentials/create-vault.ts';
import { createGrantRenewal } from './create-grant-renewal.ts';
import { toCredential } from './grant-details.ts';
import type { OAuthClient } from './provider.ts';
import { openConsentAgent } from './testing/consent-agent.ts';
import { openTestProvider, type TestProvider } from './testing/test-provider.ts';
import { createWantedScopes } from './wanted-scopes.ts';

const outbound = createOutbound({ allowedNetworks: ['127.0.0.1/32'] });
const secrets = createSecretRing([{ id: 'k', bytes: Buffer.alloc(32, 7) }]);
const lines: string[] = [];
const logger = createRecordingLogger(lines);
let stores: AgentStores;
let provider: TestProvider;
let count = 0;

beforeAll(async () => {
  stores = createSqlStores(await openAgentDatabase({ place: 'memory', logger }));
  provider = await openTestProvider({ isRotating: true, clients: { open: undefined, known: 'hush' } });
});
afterAll(async () => {
  await provider[Symbol.asyncDispose]();
  outbound.close();
  await stores.close();
});

/** What an instance of the agent renews with. */
function instance(clock = createSystemClock()) {
  const ids = createIdSource();
  const vault = createVault({ store: stores.grants, secrets, clock, ids, logger });
  return { vault, renewal: createGrantRenewal({ vault, clients: stores.oauthClients, outbound, clock, ids, logger }) };
}

const connector = (changes: Partial<OAuthAuth> = {}): Connector => ({
  name: 'crm',
  kind: 'oauth',
  title: 'CRM',
  shown: { title: 'CRM', description: '' },
  scope: 'user',
  tools: [],
  auth: { type: 'oauth', scopes: [], authorizationParameters: {}, clientId: 'open', ...changes },
});

const CLIENT: OAuthClient = { clientId: 'open', authentication: 'none', origin: 'declared' };

/** A connection of someone's own. */
async function connect(changes: { readonly client?: OAuthClient; readonly tokens?: object } = {}) {
  const details = {
    provider: {
      tokenEndpoint: `${provider.url}/token`,
      revocationEndpoint: `${provider.url}/revoke`,
      isIssuerSent: false,
      scopes: [],
    },
    client: changes.client ?? CLIENT,
  };
  const credential = toCredential({ ...provider.give(), ...changes.tokens, lifeSeconds: 60 }, details, 0);
  return instance().vault.put(`ann-${++count}` as OwnerKey, 'crm', credential);
}

const tokensOf = (held: HeldCredential | undefined) => held?.credential as OAuthCredential | undefined;
const asks = () => provider.asked('/token').length;
const find = ({ owner }: HeldCredential) => instance().vault.find(owner, 'crm');

// Holds the agent to the contract: verifies('connector.refresh')
test('50 concurrent calls in two instances send one request, and all get the new token', async () => {
  const held = await connect();
  const before = asks();
  const instances = [instance(), instance()];
  const all = await Promise.all(
    Array.from({ length: 50 }, (_, index) => instances[index % 2]?.renewal.renew(held, connector())),
  );
  expect(asks() - before).toBe(1);
  const tokens = new Set(all.map((one) => tokensOf(one)?.accessToken));
  expect([...tokens]).toEqual([tokensOf(await find(held))?.accessToken]);
  expect(provider.isGood([...tokens][0] as string)).toBe(true);
  // Who comes later with the old one gets the new one; what was rotated goes on.
  expect((await instance().renewal.renew(held, connector()))?.version).toBe(all[0]?.version);
  const next = await instance().renewal.renew(all[0] as HeldCredential, connector());
  expect(tokensOf(next)?.refreshToken).not.toBe(tokensOf(all[0])?.refreshToken);
});

test('a refresh token without a successor is kept, and lifetimes are parsed', async () => {
  const table: readonly (readonly [Readonly<Record<string, unknown>>, Partial<OAuthCredential>])[] = [
    [{}, {}],
    [
      { token_type: 'bEaReR', expires_in: '100' },
      { expiresAtMs: 100_000, renewAtMs: 50_000 },
    ],
    [
      { expires_in: 3_600, refresh_token: null, scope: null, id_token: 'x.y.z' },
      { expiresAtMs: 3_600_000, renewAtMs: 3_540_000 },
    ],
    [{ expires_in: 0 }, {}],
  ];
  for (const [fields, expected] of table) {
    const held = await connect();
    provider.misbehave('/token', () => ({ body: { access_token: 'new', ...fields } }));
    const renewed = tokensOf(await instance(createFakeClock(0)).renewal.renew(held, connector()));
    const { type, details } = tokensOf(held) as OAuthCredential;
    expect(renewed).toEqual({
      type,
      details,
      accessToken: 'new',
      refreshToken: tokensOf(held)?.refreshToken,
      ...expected,
    });
  }
  provider.misbehave('/token', undefined);
});

test('a credential that the provider rejects counts as not connected, is kept, and is not retried', async () => {
  const held = await connect({ tokens: { refreshToken: 'unknown' } });
  expect(await instance().renewal.renew(held, connector())).toBeUndefined();
  expect(await find(held)).toMatchObject({ isRejected: true, version: held.version });
  const before = asks();
  expect(await instance().renewal.renew(held, connector())).toBeUndefined();
  expect(asks()).toBe(before);
  for (const odd of [
    { body: { error: 'bad_refresh_token' } },
    {
      status: 400,
      headers: { 'content-type': 'text/plain', 'www-authenticate': 'Basic' },
      body: '{"error":"invalid_grant"}',
    },
  ]) {
    provider.misbehave('/token', () => odd);
    const other = await connect();
    expect(await instance().renewal.renew(other, connector())).toBeUndefined();
    expect((await find(other))?.isRejected).toBe(true);
  }
  provider.misbehave('/token', undefined);
  const without = await connect({ tokens: { refreshToken: undefined } });
  expect(await instance().renewal.renew(without, connector())).toBeUndefined();
  expect([asks(), (await find(without))?.isRejected]).toEqual([before + 2, true]);
});

test('a token without a refresh token is used until its expiry; an unknown registration is deleted', async () => {
  const { credential } = await connect({ tokens: { refreshToken: undefined } });
  expect(credential).toMatchObject({ expiresAtMs: 60_000 });
  expect(credential).not.toHaveProperty('renewAtMs');
  const registered = { id: 'r', sealed: 's', createdAtMs: 0 };
  for (const error of ['invalid_grant', 'invalid_client']) {
    await stores.oauthClients.add(registered);
    const held = await connect({ client: { ...CLIENT, origin: 'registered', registrationId: 'r' } });
    provider.misbehave('/token', () => ({ status: 401, body: { error } }));
    expect(await instance().renewal.renew(held, connector())).toBeUndefined();
    provider.misbehave('/token', undefined);
    expect(await stores.oauthClients.find('r')).toEqual(error === 'invalid_grant' ? registered : undefined);
  }
});

test('a failing provider is reported, and the connection stays', async () => {
  const held = await connect();
  for (const answer of [
    { status: 500, body: 'oops <b>secret</b>' },
    { status: 200, body: '<html>log in</html>' },
    { status: 200, body: { access_token: 5 } },
    { status: 200, body: { access_token: 'x', token_type: 'mac' } },
    { status: 200, body: { access_token: 'x\r\nX-Evil: 1' } },
    { status: 200, body: { access_token: 'x', expires_in: 'soon' } },
    { status: 302, headers: { location: '/elsewhere' } },
    { status: 429, body: { error: 'slow_down' } },
    { status: 200, body: 'x'.repeat(300_000) },
  ]) {
    provider.misbehave('/token', () => answer);
    const message = expect.stringMatching(/^The sign-in of 127\.0\.0\.1:\d+ /);
    await expect(instance().renewal.renew(held, connector())).rejects.toMatchObject({ code: 'unavailable', message });
  }
  provider.misbehave('/token', undefined);
  expect(await find(held)).toEqual(held);
  expect(await instance().renewal.renew(held, connector())).toBeDefined();
});

test('a failing provider is not asked again for 5 s', async () => {
  const clock = createFakeClock();
  const { renewal } = instance(clock);
  const held = await connect();
  const before = asks();
  provider.misbehave('/token', () => ({ status: 500 }));
  for (const _ of [1, 2, 3]) {
    await expect(renewal.renew(held, connector())).rejects.toMatchObject({ code: 'unavailable' });
  }
  provider.misbehave('/token', undefined);
  clock.advance(4_999);
  await expect(renewal.renew(held, connector())).rejects.toMatchObject({ code: 'unavailable' });
  expect(asks() - before).toBe(1);
  clock.advance(1);
  expect(await renewal.renew(held, connector())).toBeDefined();
});

test('disconnecting or reconnecting during a renewal wins', async () => {
  for (const isAnew of [false, true]) {
    const held = await connect();
    const given: string[] = [];
    const other = instance();
    provider.misbehave('/token', async (_request, usual) => {
      if (isAnew)
        await other.vault.put(held.owner, 'crm', { ...(held.credential as OAuthCredential), accessToken: 'anew' });
      else await other.vault.remove(held.owner, 'crm');
      const answer = usual();
      given.push((answer.body as { access_token: string }).access_token);
      return answer;
    });
    const renewed = await instance().renewal.renew(held, connector());
    provider.misbehave('/token', undefined);
    expect([tokensOf(renewed)?.accessToken, tokensOf(await find(held))?.accessToken]).toEqual(
      isAnew ? ['anew', 'anew'] : [undefined, undefined],
    );
    // What came for no one is of no use to anyone; beside a new connection it may hang together with that one.
    expect(provider.isGood(given[0] as string)).toBe(isAnew);
  }
});

test('missing scopes are stored, also by concurrent calls', async () => {
  const clock = createFakeClock();
  const wanted = createWantedScopes({ authorizations: stores.authorizations, secrets, clock });
  const owner = 'ann' as OwnerKey;
  await Promise.all(['a', 'b', 'a'].map((scope) => wanted.note(owner, 'crm', [scope, 'x"y', ''])));
  expect(['a', 'b']).toContain((await wanted.find(owner, 'crm')).join());
  await wanted.note(owner, 'crm', ['c', 'c']);
  expect(await wanted.find(owner, 'crm')).toEqual([expect.stringMatching(/^[ab]$/), 'c']);
  expect([await wanted.find(owner, 'other'), await wanted.find('bob' as OwnerKey, 'crm')]).toEqual([[], []]);
  clock.advance(600_000);
  expect(await wanted.find(owner, 'crm')).toEqual([]);
});

test('a crash during a renewal blocks others for 20 s', async () => {
  const held = await connect();
  const clock = createFakeClock();
  const { vault, renewal } = instance(clock);
  expect(await vault.lease(held.owner, 'crm', 'dead', 20_000)).toBe(true);
  const before = asks();
  const waiting = renewal.renew(held, connector());
  const looks = () => waitUntil('it waits to look again', () => clock.pending > 0);
  await looks();
  clock.advance(19_900);
  await looks();
  expect(asks()).toBe(before);
  clock.advance(100);
  expect(await waiting).toBeDefined();
  expect(asks()).toBe(before + 1);
});

test('a client secret is sent only to the declared provider, and to none after the declaration changes', async () => {
  const declared = { clientId: 'known', clientSecret: 'hush' };
  for (const clientAuthentication of ['basic', 'post'] as const) {
    const held = await connect({
      client: { clientId: 'known', authentication: clientAuthentication, origin: 'declared' },
    });
    expect(await instance().renewal.renew(held, connector(declared))).toBeDefined();
    const last = provider.asked('/token').at(-1);
    expect([last?.form.get('client_secret'), last?.headers.authorization?.slice(0, 6)]).toEqual(
      clientAuthentication === 'post' ? ['hush', undefined] : [null, 'Basic '],
    );
  }
  const before = asks();
  for (const changes of [
    { clientId: 'new' },
    { tokenUrl: 'https://new.example/token' },
    { issuer: 'https://new.example' },
  ]) {
    const held = await connect({ client: { clientId: 'known', authentication: 'basic', origin: 'declared' } });
    expect(await instance().renewal.renew(held, connector({ ...declared, ...changes }))).toBeUndefined();
  }
  expect(asks()).toBe(before);
});

test('disconnecting revokes the tokens at the provider, waiting at most 5 s', async () => {
  const held = await connect();
  await instance().renewal.revoke(held, connector());
  expect(provider.isGood(tokensOf(held)?.accessToken as string)).toBe(false);
  const asked = provider.asked('/revoke').map(({ form }) => form.get('token'));
  expect(asked.slice(-2)).toEqual([tokensOf(held)?.refreshToken, tokensOf(held)?.accessToken]);

  const hanging = Promise.withResolvers<undefined>();
  provider.misbehave('/revoke', () => hanging.promise);
  const clock = createFakeClock();
  const waiting = instance(clock).renewal.revoke(await connect(), connector());
  await waitUntil('it is asked', () => provider.asked('/revoke').length === asked.length + 1);
  clock.advance(5_000);
  await waiting;
  hanging.resolve(undefined);
  provider.misbehave('/revoke', () => ({ status: 500 }));
  await instance().renewal.revoke(await connect(), connector());
});

test('an expired token is renewed once for all calls, and a revoked one has to be connected again', async () => {
  await using fixture = await openConsentAgent();
  const { agent, back, begin, clock, consent, provider, row } = fixture;
  const connectAgain = async () => (await back(await consent(await begin('fay', 'crm')))).status;
  const read = () => agent.call('fay', 'GET', '/connectors/crm/fetch/notes');
  expect([await connectAgain(), (await read()).status]).toEqual([200, 200]);
  clock.advance(3_541_000);
  const before = provider.asked('/token').length;
  // Of two instances the one that waits for the other looks again as time goes by.
  const ticking = setInterval(() => clock.advance(100), 100);
  const statuses = await Promise.all(Array.from({ length: 20 }, async () => (await read()).status));
  clearInterval(ticking);
  expect([...new Set(statuses)]).toEqual([200]);
  expect(provider.asked('/token').length - before).toBe(1);
  // The provider is away for a moment, and the token is still good.
  clock.advance(3_541_000);
  provider.misbehave('/token', () => ({ status: 500 }));
  expect((await read()).status).toBe(200);
  clock.advance(60_000);
  expect((await read()).status).toBe(503);
  provider.misbehave('/token', undefined);
  clock.advance(5_000);
  expect([(await read()).status, (await row('fay', 'crm'))?.connected]).toEqual([200, true]);
  provider.revokeAll();
  expect([(await read()).status, (await row('fay', 'crm'))?.connected, (await read()).status]).toEqual([
    401,
    false,
    401,
  ]);
  expect([await connectAgain(), (await read()).status]).toEqual([200, 200]);
});

test('the log has no secrets', () => {
  expect(lines.join()).not.toMatch(/access-|refresh-|hush|<b>/);
});
