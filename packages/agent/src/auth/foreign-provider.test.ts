import { createSilentLogger, createSystemClock } from '@berth/kit';
import { createFakeClock, type FakeClock } from '@berth/testkit';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type OidcOptions, oidc } from './oidc.ts';
import { API, type ForeignProvider, INTROSPECTOR, openForeignProvider } from './testing/open-foreign-provider.ts';

let provider: ForeignProvider;
beforeAll(async () => {
  // The provider tells at length what an operator should configure.
  for (const level of ['info', 'warn'] as const) vi.spyOn(console, level).mockImplementation(() => {});
  provider = await openForeignProvider();
});
afterAll(() => {
  vi.restoreAllMocks();
  return provider[Symbol.asyncDispose]();
});

const open = (options: OidcOptions, clock: FakeClock | undefined = undefined) =>
  oidc({ issuer: provider.issuer, clientId: 'page', ...options }).open({
    environment: {},
    isProduction: true,
    clock: clock ?? createSystemClock(),
    logger: createSilentLogger(),
  });
const asked = (path: string) => provider.requested.filter((one) => one === path).length;
const refused = (reason: RegExp) =>
  expect.objectContaining({ code: 'unauthenticated', message: expect.stringMatching(reason) });

describe('JWT access tokens', () => {
  // Fails when the sign-in doesn't name the resource: the provider then issues an opaque token.
  test('are issued for the resource that the agent names, and taken for it alone', async () => {
    const agent = open({ resource: API.jwt });
    const tokens = await provider.signIn(agent.signIn, 'ann');
    expect(tokens.access_token.split('.')).toHaveLength(3);
    expect(await agent.verify(tokens.access_token)).toMatchObject({ id: 'ann' });
    const renewed = await provider.refresh(agent.signIn, tokens.refresh_token);
    expect(await agent.verify(renewed.access_token)).toMatchObject({ id: 'ann' });
    await expect(open({ audience: 'other' }).verify(tokens.access_token)).rejects.toEqual(refused(/another audience/));
    // The ID token is for the page.
    await expect(agent.verify(tokens.id_token)).rejects.toEqual(refused(/ID token|another audience/));
  });
});

describe('opaque access tokens', () => {
  test('are refused with the reason where the agent is not told how to check them', async () => {
    const agent = open({});
    const { access_token } = await provider.signIn(agent.signIn, 'ann');
    await expect(agent.verify(access_token)).rejects.toEqual(refused(/not a JWT/));
  });

  // Fails without the encoding of the client's id and secret for Basic authentication.
  test('are introspected, and their user gets a name and an address from userinfo', async () => {
    const agent = open({ audience: 'page', opaqueTokens: INTROSPECTOR });
    const { access_token, refresh_token } = await provider.signIn(agent.signIn, 'ann');
    expect(access_token).not.toContain('.');
    expect(await agent.verify(access_token)).toEqual({ id: 'ann', name: 'Ann', email: 'ann@example.com' });
    expect(await agent.verify((await provider.refresh(agent.signIn, refresh_token)).access_token)).toMatchObject({
      id: 'ann',
    });
    await expect(agent.verify('made-up')).rejects.toEqual(refused(/invalid or has expired/));
  });

  // Fails when the audience isn't compared: a token for another API of the provider would do.
  test('count for the API that they were issued for', async () => {
    const agent = open({ resource: API.opaque, opaqueTokens: { ...INTROSPECTOR, authentication: 'post' } });
    const { access_token } = await provider.signIn(agent.signIn, 'ann');
    expect(await agent.verify(access_token)).toMatchObject({ id: 'ann' });
    const other = open({ resource: API.jwt, opaqueTokens: INTROSPECTOR });
    await expect(other.verify(access_token)).rejects.toEqual(refused(/another audience/));
  });

  // Fails when an answer of introspection counts for longer than a minute.
  test('are asked about once a minute, and refused within it once they are revoked', async () => {
    const clock = createFakeClock(Date.now());
    const agent = open({ opaqueTokens: INTROSPECTOR }, clock);
    const { access_token } = await provider.signIn(agent.signIn, 'bob');
    const before = [asked('/token/introspection'), asked('/me')];
    await Promise.all([1, 2, 3].map(() => agent.verify(access_token)));
    clock.advance(59_000);
    // A person without a name is asked about once as well.
    expect(await agent.verify(access_token)).toEqual({ id: 'bob' });
    expect([asked('/token/introspection'), asked('/me')]).toEqual(before.map((count) => count + 1));
    await provider.revoke(access_token);
    clock.advance(1_000);
    await expect(agent.verify(access_token)).rejects.toEqual(refused(/invalid or has expired/));
  });

  test('are taken by userinfo where the agent says that it trusts every application of the provider', async () => {
    const agent = open({ opaqueTokens: 'userinfo' });
    const { access_token } = await provider.signIn(agent.signIn, 'ann');
    expect(await agent.verify(access_token)).toEqual({ id: 'ann', name: 'Ann', email: 'ann@example.com' });
    await provider.revoke(access_token);
    await expect(open({ opaqueTokens: 'userinfo' }).verify(access_token)).rejects.toEqual(
      refused(/invalid or has expired/),
    );
  });

  test('are no reason to ask people to sign in again while the secret is wrong', async () => {
    const agent = open({ opaqueTokens: { ...INTROSPECTOR, clientSecret: 'wrong' } });
    await expect(agent.verify('any')).rejects.toMatchObject({ code: 'unavailable' });
  });
});
