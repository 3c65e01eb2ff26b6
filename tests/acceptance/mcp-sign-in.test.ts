import {
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { expect, it } from 'vitest';
import { createBrowser } from '../../packages/accounts/src/identity/testing/browser.ts';
import { createKey } from '../harness/accounts.ts';
import { agentToken } from '../harness/agents.ts';
import { deployed } from '../harness/deploy.ts';
import { bearer, call, closing, connectMcp, createMcpClient } from '../harness/mcp.ts';
import { uniqueName } from '../harness/names.ts';
import { greeter } from '../harness/project-files.ts';
import { useBerth } from '../harness/use-berth.ts';

const berth = useBerth();
const REDIRECT = 'http://localhost:41999/callback';

/** A provider of the official client that keeps everything in memory. */
function createProvider(): OAuthClientProvider & { sentTo?: URL } {
  const kept: {
    client?: StoredOAuthClientInformation;
    tokens?: StoredOAuthTokens;
    verifier?: string;
    discovery?: OAuthDiscoveryState;
  } = {};
  return {
    redirectUrl: REDIRECT,
    clientMetadata: { client_name: 'Acceptance agent', redirect_uris: [REDIRECT] },
    clientInformation: () => kept.client,
    saveClientInformation(client) {
      kept.client = client;
    },
    tokens: () => kept.tokens,
    saveTokens(tokens) {
      kept.tokens = tokens;
    },
    redirectToAuthorization(url) {
      this.sentTo = url;
    },
    discoveryState: () => kept.discovery,
    saveDiscoveryState(state) {
      kept.discovery = state;
    },
    codeVerifier: () => kept.verifier ?? '',
    saveCodeVerifier(verifier) {
      kept.verifier = verifier;
    },
  };
}

/** Connects without a credential, signs in with `key` where the client sends the person, and consents. */
async function signIn(key: string) {
  const url = new URL(`http://localhost:${berth.port}/mcp`);
  const authProvider = createProvider();
  const first = new StreamableHTTPClientTransport(url, { authProvider });
  await expect(createMcpClient().connect(first)).rejects.toThrow();
  const browser = createBrowser(fetch, url.origin);
  await browser.open(String(authProvider.sentTo));
  const consent = await browser.submit({ api_key: key });
  const { leftTo } = await browser.submit({ decision: 'allow' });
  await first.finishAuth((leftTo as URL).searchParams);
  const client = createMcpClient();
  await client.connect(new StreamableHTTPClientTransport(url, { authProvider }));
  const tokens = (await authProvider.tokens()) as { access_token: string; refresh_token?: string };
  return { client: closing(client), consent: consent.text, tokens, sentTo: authProvider.sentTo as URL };
}

// Fails when discovery, registration, PKCE, the audience or the consent doesn't fit what the official client does.
it('lets the official client register itself and act for a person who consents', async () => {
  const { client, consent, tokens, sentTo } = await signIn(berth.key);
  await using _ = client;
  expect(sentTo.searchParams.get('resource')).toBe(`http://localhost:${berth.port}/mcp`);
  expect(sentTo.searchParams.get('code_challenge_method')).toBe('S256');
  expect(consent).toContain('Acceptance agent');
  expect(consent).toContain('Deploy, roll back and change variables');
  expect((await call(client, 'list_services')).isError).toBeUndefined();
  expect((await call(client, 'run_sql', { query: 'SELECT 1 AS n' })).fields).toMatchObject({ rows: [{ n: 1 }] });
  expect(tokens.refresh_token).toBeTruthy();
});

// Fails when a token is good elsewhere than at the MCP server.
it('gives tokens that nothing but the MCP server takes', async () => {
  const { tokens } = await signIn(berth.key);
  expect((await fetch(`${berth.url}/v1/user`, { headers: bearer(tokens.access_token) })).status).toBe(401);
  const claims = JSON.parse(Buffer.from(tokens.access_token.split('.')[1] ?? '', 'base64url').toString());
  expect(claims).not.toHaveProperty('email');
  expect(claims).not.toHaveProperty('name');
});

// Fails when the audience isn't checked: a token for an agent would open the platform.
it('refuses tokens of another audience, and altered ones', async () => {
  const name = uniqueName('audience');
  await deployed(berth, name, { files: greeter('hello') });
  await expect(connectMcp(berth, bearer(await agentToken(berth, name)))).rejects.toThrow();
  const { tokens } = await signIn(berth.key);
  const [head, body = '', signature] = tokens.access_token.split('.');
  const claims = { ...JSON.parse(Buffer.from(body, 'base64url').toString()), scope: 'read deploy volumes logs admin' };
  const altered = [head, Buffer.from(JSON.stringify(claims)).toString('base64url'), signature].join('.');
  await expect(connectMcp(berth, bearer(altered))).rejects.toThrow();
});

// Fails when a sign-in with a key gives more than the key, or outlives it.
it('gives a sign-in with a key no more than the key, and ends with it', async () => {
  const key = await createKey(berth, { scopes: ['read'] });
  const { client, tokens } = await signIn(key.secret);
  await using _ = client;
  expect((await call(client, 'list_services')).isError).toBeUndefined();
  const refused = await call(client, 'run_sql', { query: 'SELECT 1' });
  expect(refused).toMatchObject({ isError: true, text: expect.stringContaining('the scope "logs"') });
  await berth.api(`/v1/user/keys?id=${key.id}`, { method: 'DELETE' });
  await expect(connectMcp(berth, bearer(tokens.access_token))).rejects.toThrow();
});

it('leads clients to the identity provider', async () => {
  const issuer = `http://localhost:${berth.port}`;
  const refused = await fetch(`${berth.url}/mcp`, { method: 'POST' });
  const at = /resource_metadata="([^"]+)"/.exec(refused.headers.get('www-authenticate') ?? '')?.[1];
  expect(at).toBe(`${issuer}/.well-known/oauth-protected-resource/mcp`);
  for (const path of ['/.well-known/oauth-protected-resource/mcp', '/.well-known/oauth-protected-resource']) {
    const metadata = await (await fetch(berth.url + path)).json();
    expect(metadata).toMatchObject({ resource: `${issuer}/mcp`, authorization_servers: [issuer] });
  }
  const server = await (await fetch(`${berth.url}/.well-known/oauth-authorization-server`)).json();
  expect(server).toMatchObject({ issuer, registration_endpoint: `${issuer}/oauth2/register` });
});
