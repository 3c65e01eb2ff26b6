import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { formatClientId, parseClientId } from './registered-client.ts';
import { ANN, createIdentityFixture, type IdentityFixture, ISSUER } from './testing/identity-fixture.ts';

const REDIRECT = 'http://localhost:41999/cb';
const VERIFIER = 'v'.repeat(43);
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');

const register = (fixture: IdentityFixture, body: unknown) =>
  fixture.fetch(`${ISSUER}/oauth2/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

const authorizeUrl = (clientId: string, more: Record<string, string> = {}) =>
  `${ISSUER}/oauth2/authorize?${new URLSearchParams({
    ...{ response_type: 'code', client_id: clientId, redirect_uri: REDIRECT },
    ...{ code_challenge: CHALLENGE, code_challenge_method: 'S256', scope: 'read deploy admin billing' },
    ...more,
  })}`;

const token = async (fixture: IdentityFixture, fields: Record<string, string>) => {
  const response = await fixture.fetch(`${ISSUER}/oauth2/token`, { method: 'POST', body: new URLSearchParams(fields) });
  return { status: response.status, body: (await response.json()) as Record<string, string> };
};

it.each([
  ['http on another machine', 'http://example.com/cb'],
  ['a script', 'javascript:alert(1)'],
  ['data', 'data:text/html,x'],
  ['an unknown scheme', 'evil://x/cb'],
  ['a fragment', 'https://example.com/cb#x'],
  ['a password', 'https://a:b@example.com/cb'],
  ['the provider itself', `${ISSUER}/oauth2/authorize`],
  ['no address', 'cb'],
])('registers no client that redirects to %s', async (_, uri) => {
  await using fixture = await createIdentityFixture();
  const response = await register(fixture, { redirect_uris: [REDIRECT, uri] });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ error: 'invalid_redirect_uri' });
});

it('registers programs on this machine, of editors and of sites, without storing anything', async () => {
  await using fixture = await createIdentityFixture();
  const redirect_uris = [REDIRECT, 'cursor://anysphere.cursor-mcp/oauth/callback', 'https://agent.example/cb'];
  const response = await register(fixture, { redirect_uris, client_name: 'Agent', grant_types: ['implicit'] });
  expect(response.status).toBe(201);
  expect(await response.json()).toMatchObject({
    client_id: expect.stringMatching(/^mcp_[\w-]+$/),
    redirect_uris,
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', 'refresh_token'],
  });
  expect((await register(fixture, { redirect_uris: 'x' })).status).toBe(400);
  expect((await register(fixture, { redirect_uris: [] })).status).toBe(400);
  expect((await register(fixture, { redirect_uris: [`https://a.example/${'x'.repeat(20_000)}`] })).status).toBe(400);
});

it('reads only ids in their one form, and drops what could change how the consent page reads', () => {
  const id = formatClientId({ name: 'A\u202Egent\n', redirectUris: [REDIRECT] }, ISSUER);
  expect(parseClientId(id, ISSUER)).toEqual({ name: 'Agent', redirectUris: [REDIRECT] });
  const forged = (value: unknown) => `mcp_${Buffer.from(JSON.stringify(value)).toString('base64url')}`;
  for (const bad of [
    `${id}A`,
    forged(['x', 'javascript:1']),
    forged({}),
    forged(['a\u202E', REDIRECT]),
    'mcp_',
    'shop',
  ]) {
    expect(parseClientId(bad, ISSUER), bad).toBeUndefined();
  }
});

it('asks each time, shows the address and the scopes, and grants no others', async () => {
  await using fixture = await createIdentityFixture();
  const { client_id } = (await (
    await register(fixture, { redirect_uris: [REDIRECT], client_name: '<b>Agent' })
  ).json()) as {
    client_id: string;
  };
  const browser = fixture.browser();
  await browser.open(authorizeUrl(client_id));
  for (const _ of ['first', 'again']) {
    const page = _ === 'first' ? await browser.submit(ANN) : await browser.open(authorizeUrl(client_id));
    expect(page.text).toContain('&lt;b&gt;Agent');
    expect(page.text).toContain('http://localhost:41999');
    expect(page.text).toContain('Deploy, roll back');
    expect(page.text).not.toContain('Read logs');
    const { leftTo } = await browser.submit({ decision: 'allow' });
    const code = leftTo?.searchParams.get('code') ?? '';
    const grant = {
      grant_type: 'authorization_code',
      client_id,
      code,
      code_verifier: VERIFIER,
      redirect_uri: REDIRECT,
    };
    const { status, body } = await token(fixture, grant);
    expect(status).toBe(200);
    expect(body).toMatchObject({ scope: 'read deploy' });
    expect(body).not.toHaveProperty('id_token');
    // A code works once.
    expect((await token(fixture, grant)).status).toBe(400);
  }
  const denied = await browser.open(authorizeUrl(client_id)).then(() => browser.submit({ decision: 'deny' }));
  expect(denied.leftTo?.searchParams.get('error')).toBe('access_denied');
});

it('refuses other resources, other redirect addresses and codes without their verifier', async () => {
  await using fixture = await createIdentityFixture();
  const client_id = formatClientId({ name: 'Agent', redirectUris: [REDIRECT] }, ISSUER);
  const browser = fixture.browser();
  const other = await browser.open(authorizeUrl(client_id, { resource: 'https://other.example/mcp' }));
  expect(other.leftTo?.searchParams.get('error')).toBe('invalid_target');
  for (const redirect_uri of ['http://localhost:41999/other', 'https://evil.example/cb', 'http://127.0.0.1:41999/cb']) {
    expect((await browser.open(authorizeUrl(client_id, { redirect_uri }))).status, redirect_uri).toBe(400);
  }
  // RFC 8252 section 7.3: the port on this machine is chosen when the program starts.
  expect((await browser.open(authorizeUrl(client_id, { redirect_uri: 'http://localhost:5/cb' }))).status).toBe(200);
  await browser.open(authorizeUrl(client_id, { resource: `${ISSUER}/mcp` }));
  await browser.submit(ANN);
  const { leftTo } = await browser.submit({ decision: 'allow' });
  const code = leftTo?.searchParams.get('code') ?? '';
  const grant = { grant_type: 'authorization_code', client_id, code, redirect_uri: REDIRECT };
  const target = await token(fixture, { ...grant, code_verifier: VERIFIER, resource: 'https://other.example' });
  expect(target.body).toMatchObject({ error: 'invalid_target' });
  expect((await token(fixture, { ...grant, code_verifier: 'w'.repeat(43) })).status).toBe(400);
});
