import { personalWorkspace, type User } from '@berth/agent-core';
import { type AgentStores, memberKey, type OwnerKey, ownerKey, teamKey } from '@berth/agent-store';
import { createSqlStores, openAgentDatabase } from '@berth/agent-store/sql';
import { createError } from '@berth/contract';
import { createIdSource, createSilentLogger } from '@berth/kit';
import { createFakeClock } from '@berth/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ConnectorCaller } from '../connector/caller.ts';
import type { Connector } from '../connector/connector.ts';
import type { Grant, HeldCredential, OAuthCredential } from '../connector/grants.ts';
import { key } from '../declare/key.ts';
import { mcp } from '../declare/mcp.ts';
import { oauth } from '../declare/oauth.ts';
import { createGrants } from './create-grants.ts';
import { createSecretRing } from './create-secret-ring.ts';
import { createVault } from './create-vault.ts';
import { resealAll } from './reseal-all.ts';

const keyOf = (id: string, fill: number) => ({ id, bytes: Buffer.alloc(32, fill) });
const [ONE, TWO] = [keyOf('k1', 1), keyOf('k2', 2)];
const CRM = key({ name: 'crm', api: 'https://api.crm.example/v1' });
const MAIL = oauth({ name: 'mail', issuer: 'https://login.example', api: 'https://mail.example' });
const clock = createFakeClock();
let stores: AgentStores;
beforeAll(async () => {
  stores = createSqlStores(await openAgentDatabase({ place: 'memory', logger: createSilentLogger() }));
});
afterAll(() => stores.close());

let people = 0;
/** Someone new; in a team as an editor, with `team`. */
function somebody(team?: string, role: 'owner' | 'editor' = 'editor'): ConnectorCaller {
  const user: User = { id: `person-${++people}`, orgId: 'acme' };
  const person = ownerKey(user);
  const workspace = team
    ? { id: team, type: 'team' as const, role, key: teamKey('acme', team) }
    : personalWorkspace(user);
  return { user, person, owner: memberKey(person, workspace), workspace };
}
function open(
  keys = [ONE],
  renew: (held: HeldCredential) => Promise<HeldCredential | undefined> = async () => undefined,
) {
  const secrets = createSecretRing(keys);
  const vault = createVault({
    store: stores.grants,
    secrets,
    clock,
    ids: createIdSource(),
    logger: createSilentLogger(),
  });
  const revoked: HeldCredential[] = [];
  const renewal = { renew, revoke: async (held: HeldCredential) => void revoked.push(held) };
  return { secrets, vault, revoked, grants: createGrants({ vault, renewal, clock }) };
}
/** What a request would carry. */
function attached(grant: Grant | undefined, address = 'https://api.crm.example/v1/x?a=b'): string {
  if (!grant) return 'nothing';
  const [url, headers] = [new URL(address), new Headers()];
  grant.authorize(url, headers);
  return `${url.href} ${JSON.stringify([...headers])}`;
}
const tokens = (changes: Partial<OAuthCredential> = {}): OAuthCredential => ({
  type: 'oauth',
  accessToken: 'access',
  refreshToken: 'refresh',
  details: {},
  ...changes,
});

// Holds the agent to the contract: verifies('connector.sealed')
test('a stored credential is bound to its owner and connector, and opens only with its key', async () => {
  const [ann, bob] = [somebody(), somebody()];
  const { grants, vault } = open();
  await grants.put(ann, CRM, 'user', { type: 'key', key: 'secret-of-ann' });
  const row = await stores.grants.find(ann.person, 'crm');
  if (!row) throw new Error('not kept');
  expect(JSON.stringify(row)).not.toContain('secret-of-ann');
  expect(row.sealed).toMatch(/^k1\./);

  // Moved to someone else, and to another connector.
  const WIKI = { ...CRM, name: 'wiki' };
  await stores.grants.put({ ...row, owner: bob.person });
  await stores.grants.put({ ...row, connector: 'wiki' });
  expect([await grants.open(bob, CRM), await grants.open(ann, WIKI)]).toEqual([undefined, undefined]);
  // A bit of it changed.
  const last = row.sealed.at(-2) === 'A' ? 'B' : 'A';
  await stores.grants.put({
    ...row,
    connector: 'bent',
    sealed: `${row.sealed.slice(0, -2)}${last}${row.sealed.at(-1)}`,
  });
  expect(await grants.open(ann, { ...CRM, name: 'bent' })).toBeUndefined();
  expect((await vault.listOf([ann.person])).map(({ connector }) => connector)).toEqual(['crm']);
  // Without its key, and with another of the same name.
  expect([await open([TWO]).grants.open(ann, CRM), await open([keyOf('k1', 9)]).grants.open(ann, CRM)]).toEqual([
    undefined,
    undefined,
  ]);
  expect(attached(await open([TWO, ONE]).grants.open(ann, CRM))).toContain('Bearer secret-of-ann');
  // Whoever connects again is connected.
  await open([TWO]).grants.put(ann, CRM, 'user', { type: 'key', key: 'new' });
  expect(attached(await open([TWO]).grants.open(ann, CRM))).toContain('Bearer new');
});

test('resealing covers everything that opens, and can be interrupted and repeated', async () => {
  const all = Array.from({ length: 5 }, () => somebody());
  const [gone] = all;
  const before = open([ONE]);
  for (const one of all) await before.grants.put(one, CRM, 'user', { type: 'key', key: `secret of ${one.person}` });
  await open([keyOf('k9', 9)]).grants.put(gone as ConnectorCaller, CRM, 'user', { type: 'key', key: 'unreadable' });
  const client = { id: `client-${people}`, createdAtMs: 0 };
  await stores.oauthClients.add({ ...client, sealed: before.secrets.box('oauth client').seal('{}', [client.id]) });

  const { secrets, vault, grants } = open([TWO, ONE]);
  const deps = { grants: stores.grants, clients: stores.oauthClients, vault, secrets };
  const left = new AbortController();
  let walked = 0;
  const leaving = {
    ...vault,
    reseal: (...row: Parameters<typeof vault.reseal>) => {
      if (++walked === 2) left.abort(new Error('killed'));
      return vault.reseal(...row);
    },
  };
  await expect(resealAll({ ...deps, vault: leaving }, left.signal)).rejects.toThrow('killed');
  const { signal } = new AbortController();
  const first = await resealAll(deps, signal);
  expect([first.count > 0, first.unreadable > 0]).toEqual([true, true]);
  // What does not open stays, in case its key comes back.
  expect(await resealAll(deps, signal)).toEqual({ count: 0, unreadable: first.unreadable });
  for (const one of all.slice(1)) {
    expect((await stores.grants.find(one.person, 'crm'))?.sealed).toMatch(/^k2\./);
    expect(attached(await open([TWO]).grants.open(one, CRM))).toContain(`secret of ${one.person}`);
  }
  expect(await grants.open(gone as ConnectorCaller, CRM)).toBeUndefined();
  expect(secrets.box('oauth client').open((await stores.oauthClients.find(client.id))?.sealed ?? '', [client.id])).toBe(
    '{}',
  );
});

test('a credential is sent only to the connector’s own origins, in the declared place', async () => {
  const ann = somebody();
  const { grants } = open();
  await grants.put(ann, CRM, 'user', { type: 'key', key: 'a b&c' });
  const grant = (await grants.open(ann, CRM)) as Grant;
  expect(attached(grant)).toBe('https://api.crm.example/v1/x?a=b [["authorization","Bearer a b&c"]]');
  for (const strange of [
    'https://evil.example/',
    'http://api.crm.example/',
    'https://api.crm.example:444/',
    'https://x.api.crm.example/',
  ]) {
    expect(() => attached(grant, strange)).toThrow('is not for');
    expect(() => attached(grant, strange)).not.toThrow('a b&c');
  }
  const inQuery: Connector = key({ name: 'crm', api: 'https://api.crm.example', query: 'key' });
  expect(attached(await grants.open(ann, inQuery))).toBe('https://api.crm.example/v1/x?a=b&key=a+b%26c []');
  const inHeader: Connector = key({ name: 'crm', api: 'https://api.crm.example', header: 'X-Api-Key' });
  expect(attached(await grants.open(ann, inHeader))).toContain('[["x-api-key","a b&c"]]');

  // With an address of the person's the owner's is none of it.
  const rule = { name: 'crm', endpoint: { hosts: ['.crm.example'] } };
  const wiki = key({ ...rule, api: 'https://api.crm.example' });
  await grants.put(ann, wiki, 'user', { type: 'key', key: 'k', endpoint: 'https://acme.crm.example/base/' });
  const own = (await grants.open(ann, wiki)) as Grant;
  expect([own.endpoint, attached(own, 'https://acme.crm.example/base/x')]).toEqual([
    'https://acme.crm.example/base/',
    expect.stringContaining('Bearer k'),
  ]);
  expect(() => attached(own, 'https://api.crm.example/')).toThrow('is not for');
  // The owner has declared other hosts since.
  expect(await grants.open(ann, key({ ...rule, endpoint: { hosts: ['.other.example'] } }))).toBeUndefined();
  expect(await grants.open(ann, MAIL)).toBeUndefined();

  const open2 = mcp({ name: 'open', url: 'https://mcp.example/mcp' });
  const nobodys = (await grants.open(ann, open2)) as Grant;
  expect(attached(nobodys, 'https://mcp.example/mcp')).toBe('https://mcp.example/mcp []');
});

test('secrets are removed from what a server echoes, in every encoding', async () => {
  const ann = somebody();
  const { grants } = open();
  const secret = 'se cret/+"\\&';
  await grants.put(ann, CRM, 'user', { type: 'key', key: secret });
  const grant = (await grants.open(ann, CRM)) as Grant;
  const bytes = Buffer.from(secret);
  const echoes = [
    secret,
    encodeURIComponent(secret),
    new URLSearchParams({ secret }).toString().slice(7),
    JSON.stringify(secret),
    bytes.toString('base64'),
    bytes.toString('base64url'),
  ];
  for (const echo of echoes) expect(grant.scrub(`got ${echo}, ${echo}.`)).not.toContain(echo.replaceAll('"', ''));
  expect(grant.scrub('nothing of it')).toBe('nothing of it');
});

test('a user’s rejected credential is not silently replaced by the workspace’s', async () => {
  const hal = somebody('t-1', 'owner');
  const ida = { ...somebody('t-1') };
  const { grants, vault, revoked } = open();
  await grants.put(hal, CRM, 'workspace', { type: 'key', key: 'shared' });
  await expect(grants.put(ida, CRM, 'workspace', { type: 'key', key: 'x' })).rejects.toMatchObject({
    code: 'forbidden',
  });
  await grants.put(ida, CRM, 'user', { type: 'key', key: 'own' });
  const grant = (await grants.open(ida, CRM)) as Grant;
  expect([grant.scope, attached(grant)]).toEqual(['user', expect.stringContaining('own')]);
  expect(await grants.reportRejected(CRM, grant)).toBeUndefined();
  expect(await grants.open(ida, CRM)).toBeUndefined();
  // Reported again, and of a version that is no more.
  expect(await grants.reportRejected(CRM, grant)).toBeUndefined();
  await vault.put(ida.person, 'crm', { type: 'key', key: 'newer' });
  expect(attached(await grants.reportRejected(CRM, grant))).toContain('newer');
  await grants.remove(ida, CRM, 'user');
  expect(revoked.map(({ owner }) => owner)).toEqual([ida.person]);
  expect(await grants.open(ida, CRM)).toMatchObject({ scope: 'workspace' });
  await grants.remove(ida, CRM, 'user');
  expect(revoked).toHaveLength(1);
});

test('a token is renewed when due, and used until its expiry while the provider is unreachable', async () => {
  const now = clock.nowMs();
  let outcome: 'new' | 'refused' | 'away' = 'new';
  const { grants, vault } = open([ONE], async (held) => {
    if (outcome === 'away') throw createError('unavailable', 'The provider is away.');
    return outcome === 'new' ? vault.replace(held, tokens({ accessToken: 'renewed' })) : undefined;
  });
  const connect = async (changes: Partial<OAuthCredential>) => {
    const person = somebody();
    await grants.put(person, MAIL, 'user', tokens(changes));
    return person;
  };
  const use = async (person: ConnectorCaller) => attached(await grants.open(person, MAIL), 'https://mail.example/');
  expect(await use(await connect({ renewAtMs: now + 1, expiresAtMs: now + 60_000 }))).toContain('Bearer access');
  const due = { renewAtMs: now, expiresAtMs: now + 60_000 };
  expect(await use(await connect(due))).toContain('Bearer renewed');
  outcome = 'away';
  expect(await use(await connect(due))).toContain('Bearer access');
  const over = await connect({ renewAtMs: now - 1, expiresAtMs: now });
  await expect(grants.open(over, MAIL)).rejects.toMatchObject({ code: 'unavailable' });
  outcome = 'refused';
  expect(await use(over)).toBe('nothing');
  // One that can't be renewed ends.
  const { refreshToken: _, ...short } = tokens({ expiresAtMs: now });
  await vault.put('x' as OwnerKey, 'mail', short);
  const someone: ConnectorCaller = { ...somebody(), person: 'x' as OwnerKey };
  expect(await use(someone)).toBe('nothing');
  outcome = 'new';
  const rejected = (await grants.open(await connect({}), MAIL)) as Grant;
  expect(attached(await grants.reportRejected(MAIL, rejected), 'https://mail.example/')).toContain('Bearer renewed');
});
