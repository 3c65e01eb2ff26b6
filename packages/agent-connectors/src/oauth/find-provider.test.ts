import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createOutbound } from '@berth/agent-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { OAuthAuth } from '../connector/connector.ts';
import { findProvider } from './find-provider.ts';
import type { Provider } from './provider.ts';
import { createProviderFetch } from './provider-fetch.ts';
import { openTestProvider, type ProviderAnswer, type TestProvider } from './testing/test-provider.ts';
import { createTokenEndpoint } from './token-endpoint.ts';

const RESOURCE = '/.well-known/oauth-protected-resource/mcp';
const SERVER = '/.well-known/oauth-authorization-server';
const OPENID = '/.well-known/openid-configuration';

// The provider is on 127.0.0.1, which the owner allowed; 127.0.0.2 is inside and has to stay silent.
const outbound = createOutbound(
  { allowedNetworks: ['127.0.0.1/32'] },
  { resolveHost: async (host) => (host === 'mixed.example' ? ['1.1.1.1', '127.0.0.2'] : ['127.0.0.2']) },
);
const ask = createProviderFetch(outbound, 2_000);
const inside = createServer((_request, response) => response.end('{}'));
let knocks = 0;
let insidePort: number;
let provider: TestProvider;
inside.on('connection', () => knocks++);

beforeAll(async () => {
  provider = await openTestProvider();
  inside.listen(0, '127.0.0.2');
  await once(inside, 'listening');
  insidePort = (inside.address() as AddressInfo).port;
});
afterAll(async () => {
  await provider[Symbol.asyncDispose]();
  outbound.close();
  inside.closeAllConnections();
  inside.close();
});

const auth = (changes: Partial<OAuthAuth> = {}): OAuthAuth => ({
  type: 'oauth',
  scopes: [],
  authorizationParameters: {},
  ...changes,
});

/** What is found while the provider answers these paths otherwise. */
async function find(answers: Readonly<Record<string, ProviderAnswer>> = {}, declared = auth()): Promise<Provider> {
  for (const [path, answer] of Object.entries(answers)) provider.misbehave(path, () => answer);
  const server = { url: provider.resource, isReadOnlyTrusted: false, risks: {} };
  try {
    return await findProvider(declared.issuer === undefined ? { server } : {}, declared, ask);
  } finally {
    for (const path of Object.keys(answers)) provider.misbehave(path, undefined);
  }
}
const metadata = (changes: Readonly<Record<string, unknown>> = {}): ProviderAnswer => ({
  body: {
    issuer: provider.url,
    authorization_endpoint: `${provider.url}/authorize`,
    token_endpoint: `${provider.url}/token`,
    code_challenge_methods_supported: ['S256'],
    ...changes,
  },
});
const described = (changes: Readonly<Record<string, unknown>> = {}): ProviderAnswer => ({
  body: { resource: provider.resource, authorization_servers: [provider.url], ...changes },
});
const gone: ProviderAnswer = { status: 404, body: 'no' };

test('an MCP server says who guards it, and that one how', async () => {
  expect(await find()).toEqual({
    issuer: provider.url,
    authorizationEndpoint: `${provider.url}/authorize`,
    tokenEndpoint: `${provider.url}/token`,
    registrationEndpoint: `${provider.url}/register`,
    revocationEndpoint: `${provider.url}/revoke`,
    resource: provider.resource,
    scopes: [],
    isIssuerSent: true,
    takesClientDocuments: false,
    clientAuthentications: ['none', 'client_secret_basic', 'client_secret_post'],
  });
});

test('it is found by what there is: without a challenge, by OpenID Connect, on the origin of a server of 2025-03-26', async () => {
  const issuer = provider.url;
  expect(await find({ '/mcp': { status: 405 } })).toMatchObject({ issuer, resource: provider.resource });
  expect(
    await find({ '/mcp': { status: 401, headers: { 'www-authenticate': 'Bearer' } }, [RESOURCE]: gone }),
  ).toMatchObject({
    issuer,
    resource: provider.resource,
  });
  expect(await find({ [SERVER]: gone, [OPENID]: metadata() })).toMatchObject({ issuer });
  const page = { body: '<!doctype html>' };
  expect(await find({ '/mcp': page, [RESOURCE]: page, [SERVER]: page, [OPENID]: metadata() })).toMatchObject({
    issuer,
  });
  const deep = { issuer: `${issuer}/realm`, authorization_servers: [`${issuer}/realm`] };
  const path = '/realm/.well-known/openid-configuration';
  expect(await find({ [RESOURCE]: described(deep), [path]: metadata(deep) })).toMatchObject({
    issuer: `${issuer}/realm`,
  });
  expect(await find({ [SERVER]: { status: 302, headers: { location: OPENID } }, [OPENID]: metadata() })).toMatchObject({
    issuer,
  });
});

test('scopes: those of the owner, else of the challenge, else of the server; with them what renews', async () => {
  const offline = metadata({ scopes_supported: ['x', 'offline_access'] });
  const challenge = { status: 401, headers: { 'www-authenticate': 'Bearer scope="b c"' } };
  const supported = described({ scopes_supported: ['a'] });
  expect((await find({ [RESOURCE]: supported }, auth({ scopes: ['z'] }))).scopes).toEqual(['z']);
  expect((await find({ '/mcp': challenge, [RESOURCE]: supported })).scopes).toEqual(['b', 'c']);
  expect((await find({ [RESOURCE]: supported, [SERVER]: offline })).scopes).toEqual(['a', 'offline_access']);
});

test('what the owner declared is not asked for', async () => {
  const before = provider.requests.length;
  const declared = auth({
    authorizationUrl: 'https://a.example/auth',
    tokenUrl: 'https://a.example/token',
    scopes: ['s'],
  });
  expect(await findProvider({}, declared, ask)).toMatchObject({
    tokenEndpoint: 'https://a.example/token',
    scopes: ['s'],
  });
  expect(provider.requests.length).toBe(before);
});

test('a server that says something that cannot be is not connected', async () => {
  const table: readonly (readonly [string, Readonly<Record<string, ProviderAnswer>>, RegExp])[] = [
    ['of another server', { [RESOURCE]: described({ resource: 'https://other.example/mcp' }) }, /another server/],
    ['of its neighbor', { [RESOURCE]: described({ resource: `${provider.url}/mcp2` }) }, /another server/],
    ['not of a URL', { [RESOURCE]: described({ resource: 'mcp' }) }, /another server/],
    ['guarded by nobody', { [RESOURCE]: described({ authorization_servers: [] }) }, /can't be read/],
    ['HTML for a description', { [RESOURCE]: { body: '<script>' } }, /can't be read/],
    ['an issuer that is none', { [RESOURCE]: described({ authorization_servers: ['javascript:1'] }) }, /not a URL/],
    ['metadata of another', { [SERVER]: metadata({ issuer: 'https://other.example' }) }, /another issuer/],
    ['no metadata', { [SERVER]: gone }, /has no metadata/],
    ['metadata as a list', { [SERVER]: { body: '[]' } }, /metadata is invalid/],
    [
      'a script to consent',
      { [SERVER]: metadata({ authorization_endpoint: 'javascript:alert(1)' }) },
      /authorization_endpoint/,
    ],
    [
      'data to consent',
      { [SERVER]: metadata({ authorization_endpoint: 'data:text/html,x' }) },
      /authorization_endpoint/,
    ],
    ['a file for tokens', { [SERVER]: metadata({ token_endpoint: 'file:///etc/passwd' }) }, /token_endpoint/],
    ['a name and password', { [SERVER]: metadata({ token_endpoint: 'https://a:b@c.example/' }) }, /token_endpoint/],
    ['no proof', { [SERVER]: metadata({ code_challenge_methods_supported: ['plain'] }) }, /PKCE with S256/],
    ['nothing of proofs', { [SERVER]: metadata({ code_challenge_methods_supported: undefined }) }, /PKCE with S256/],
    ['10 MB', { [SERVER]: { body: `{"issuer":"${'x'.repeat(10_000_000)}"}` } }, /does not respond/],
    ['a redirect that never ends', { [SERVER]: { status: 302, headers: { location: SERVER } } }, /does not respond/],
  ];
  for (const [what, answers, message] of table) {
    await expect(find(answers), what).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(message),
    });
  }
  const undeclared = { [SERVER]: metadata({ code_challenge_methods_supported: undefined }) };
  expect(await find(undeclared, auth({ isPkceAssumed: true }))).toMatchObject({ issuer: provider.url });
});

test('metadata that drip are left in time', async () => {
  const slow = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const drip = setInterval(() => response.write(' '), 20);
    response.on('close', () => clearInterval(drip));
  }).listen(0, '127.0.0.1');
  await once(slow, 'listening');
  const issuer = `http://127.0.0.1:${(slow.address() as AddressInfo).port}`;
  await expect(findProvider({}, auth({ issuer }), createProviderFetch(outbound, 150))).rejects.toThrow(
    'does not respond',
  );
  slow.closeAllConnections();
  slow.close();
});

test('no address that is named leads inside, however it is spelled', async () => {
  const spellings = [
    '127.0.0.2',
    '2130706434',
    '0x7f.2',
    '0177.0.0.2',
    '127.2',
    '①②⑦.⓪.⓪.②',
    '[::ffff:127.0.0.2]',
    '[::ffff:7f00:2]',
    '[::7f00:2]',
    '[64:ff9b::7f00:2]',
    '[::1]',
    '[::]',
    '0.0.0.0',
    'inside.example',
    'localhost.',
    'mixed.example',
    'good.example@127.0.0.2',
  ].flatMap((host) => [
    `http://${host}:${insidePort}`,
    `HTTP://${host}:${insidePort}`,
    `https://${host}:${insidePort}`,
  ]);
  const tokens = createTokenEndpoint(ask);
  const party = (url: string) => ({
    provider: { tokenEndpoint: url, revocationEndpoint: url, isIssuerSent: false },
    client: { clientId: 'c', authentication: 'none' as const },
    clientSecret: undefined,
  });
  const doors: Readonly<Record<string, (url: string) => Promise<unknown>>> = {
    challenge: (url) =>
      find({ '/mcp': { status: 401, headers: { 'www-authenticate': `Bearer resource_metadata="${url}/"` } } }),
    'a redirect of metadata': (url) => find({ [SERVER]: { status: 307, headers: { location: `${url}/` } } }),
    authorization_servers: (url) => find({ [RESOURCE]: described({ authorization_servers: [url] }) }),
    token_endpoint: (url) => tokens.renew(party(`${url}/`), 'secret'),
    revocation_endpoint: (url) => tokens.revoke(party(`${url}/`), 'secret'),
    registration_endpoint: (url) => ask(`${url}/`, { method: 'POST', body: '{}' }),
  };
  for (const url of [...spellings, 'http://169.254.169.254', 'file:///etc/passwd', 'gopher://127.0.0.2:70']) {
    for (const [door, knock] of Object.entries(doors)) {
      // A header holds Latin letters only.
      const isHeader = door === 'challenge' || door.includes('redirect');
      const told = knock(isHeader ? url.replace('①②⑦.⓪.⓪.②', '127.2') : url);
      await expect(told, `${door} ${url}`).rejects.toThrow();
    }
  }
  expect(knocks).toBe(0);
});
