import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createFakeClock } from '@berth/testkit';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createOidcClient } from './oidc-client.ts';
import { parseOidcProviders } from './parse-oidc-providers.ts';

const SECRETS = { state: 's', nonce: 'n', verifier: 'v'.repeat(43) };
const HOUR_MS = 3_600_000;

/** A provider that answers as its test says, and a client of it. */
async function openProvider() {
  const answers = { metadata: 200, token: { status: 400, body: '{"error":"invalid_grant"}' } };
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    const isToken = request.url === '/token';
    response.writeHead(isToken ? answers.token.status : answers.metadata, { 'content-type': 'application/json' });
    const metadata = { issuer, authorization_endpoint: `${issuer}/authorize`, token_endpoint: `${issuer}/token` };
    response.end(isToken ? answers.token.body : JSON.stringify(metadata));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const [provider] = parseOidcProviders(JSON.stringify([{ id: 'corp', name: 'Corp', issuer, client_id: 'berth' }]));
  if (!provider) throw new Error('there is a provider');
  const clock = createFakeClock(Date.now());
  return {
    ...{ answers, asked, clock, issuer },
    client: createOidcClient({ provider, redirectUri: 'http://localhost/back', clock }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

// Fails when a failed request for the metadata is kept, or metadata are never asked for again.
test('metadata are asked for anew after a failure and after an hour, and not in between', async () => {
  await using provider = await openProvider();
  const { answers, asked, client, clock, issuer } = provider;
  answers.metadata = 503;
  await expect(client.authorizationUrl(SECRETS)).rejects.toMatchObject({ problem: 'unavailable' });
  answers.metadata = 200;
  expect((await client.authorizationUrl(SECRETS)).href).toContain(`${issuer}/authorize?`);
  clock.advance(HOUR_MS - 1);
  await client.authorizationUrl(SECRETS);
  expect(asked).toHaveLength(2);
  clock.advance(1);
  await client.authorizationUrl(SECRETS);
  expect(asked).toHaveLength(3);
});

// Fails when a fault of the provider's server is told as a refusal, or a refusal as a fault. The platform's HTTP server replaces the
// global Response: fails when an answer is told by its class.
test.each([
  ['refused', 400, '{"error":"invalid_grant"}'],
  ['refused', 200, '{"access_token":"a"}'],
  ['unavailable', 503, '{"error":"temporarily_unavailable"}'],
  ['unavailable', 502, '<html>'],
])('a sign-in is %s when the token endpoint answers %i %s', async (problem, status, body) => {
  await using provider = await openProvider();
  provider.answers.token = { status, body };
  vi.stubGlobal('Response', class extends Response {});
  onTestFinished(() => void vi.unstubAllGlobals());
  const answer = new URLSearchParams({ code: 'c', state: SECRETS.state });
  await expect(provider.client.redeem(answer, SECRETS)).rejects.toMatchObject({ problem });
});

// Fails when every error of the provider's answer is told alike.
test('a person who declines is told apart from a provider that refuses', async () => {
  await using provider = await openProvider();
  const redeem = (error: string) =>
    provider.client.redeem(new URLSearchParams({ error, state: SECRETS.state }), SECRETS);
  await expect(redeem('access_denied')).rejects.toMatchObject({ problem: 'declined' });
  await expect(redeem('server_error')).rejects.toMatchObject({ problem: 'refused' });
  expect(provider.asked.filter((path) => path === '/token')).toEqual([]);
});
