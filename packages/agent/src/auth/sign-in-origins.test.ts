import { setImmediate } from 'node:timers/promises';
import { createFakeClock } from '@berth/testkit';
import { expect, it } from 'vitest';
import { createDiscovery } from './provider-requests.ts';
import { createSignInOrigins } from './sign-in-origins.ts';

const issuer = 'https://login.example.com';

/** The origins of a provider whose discovery document the test changes; undefined while the provider is down. */
function open(first: object | undefined) {
  const clock = createFakeClock();
  const provider = { document: first, asked: 0 };
  const fetch = async () => {
    provider.asked += 1;
    if (!provider.document) throw new Error('down');
    return Response.json({ issuer, ...provider.document });
  };
  return { clock, provider, origins: createSignInOrigins(createDiscovery(issuer, { clock, fetch }), clock) };
}

// Fails when an address without TLS is allowed, or one that a policy reads as "every host" or as another directive.
it.each([
  ['https://tokens.example.com/token', 'https://tokens.example.com'],
  ['https://tokens.example.com:8443/token', 'https://tokens.example.com:8443'],
  ['http://127.0.0.1:9000/token', 'http://127.0.0.1:9000'],
  ['https://[2001:db8::1]/token', 'https://[2001:db8::1]'],
  ['http://tokens.example.com/token', undefined],
  ['https://*/token', undefined],
  ['https://*.example.com/token', undefined],
  ['https://a;script-src/token', undefined],
  ['https://a,default-src/token', undefined],
  ["https://'unsafe-inline'/token", undefined],
  ['data:text/plain,a', undefined],
  ['not an address', undefined],
  [7, undefined],
])('a token endpoint %s allows %s', async (token_endpoint, origin) => {
  expect(await open({ token_endpoint }).origins()).toEqual(origin === undefined ? [] : [origin]);
});

it('names the endpoints that a page calls, each origin once, and no others', async () => {
  const { origins } = open({
    token_endpoint: 'https://a.example.com/token',
    userinfo_endpoint: 'https://a.example.com/me',
    revocation_endpoint: 'https://b.example.com/revoke',
    authorization_endpoint: 'https://c.example.com/authorize',
  });
  expect(await origins()).toEqual(['https://a.example.com', 'https://b.example.com']);
});

// Fails when each page view asks a provider that is down, or what was known is forgotten while it is.
it('asks a provider that is down again after 10 seconds, and then keeps what it said', async () => {
  const { clock, provider, origins } = open(undefined);
  expect([await origins(), await origins()]).toEqual([[], []]);
  const [before] = [provider.asked];
  provider.document = { token_endpoint: 'https://a.example.com/token' };
  expect(await origins()).toEqual([]);
  expect(provider.asked).toBe(before);
  clock.advance(10_000);
  expect(await origins()).toEqual(['https://a.example.com']);
  provider.document = undefined;
  clock.advance(3_600_000);
  // The first call asks again, and does not wait for the answer.
  expect(await origins()).toEqual(['https://a.example.com']);
  await setImmediate();
  expect(await origins()).toEqual(['https://a.example.com']);
});
