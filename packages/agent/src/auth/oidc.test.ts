import type { AuthProvider } from '@berth/agent-core';
import { createSilentLogger } from '@berth/kit';
import { createFakeClock, type FakeClock } from '@berth/testkit';
import { exportSPKI, importJWK, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import { describe, expect, it, vi } from 'vitest';
import { berth } from './berth.ts';
import { dev } from './dev.ts';
import { type OidcOptions, oidc } from './oidc.ts';
import { createTestIssuer, type TestIssuer } from './testing/create-test-issuer.ts';

const AUDIENCE = 'my-agent';

function open(provider: AuthProvider, clock: FakeClock, environment = {}, isProduction = true) {
  return provider.open({ environment, isProduction, clock, logger: createSilentLogger() });
}

async function setUp(options: (issuer: TestIssuer) => OidcOptions = ({ issuer }) => ({ issuer, audience: AUDIENCE })) {
  const clock = createFakeClock();
  const issuer = await createTestIssuer(clock);
  const authenticator = open(oidc(options(issuer)), clock);
  return {
    clock,
    issuer,
    verify: (token: string) => authenticator.verify(token),
    signed: (claims: JWTPayload = {}, more = {}) => issuer.sign({ sub: 'ann', aud: AUDIENCE, ...claims }, more),
    authenticator,
    [Symbol.asyncDispose]: () => issuer[Symbol.asyncDispose](),
  };
}

const refused = (reason: RegExp) =>
  expect.objectContaining({ code: 'unauthenticated', message: expect.stringMatching(reason) });

describe('oidc', () => {
  it.each(['RS256', 'ES256', 'EdDSA'])('takes a token that is signed with %s', async (algorithm) => {
    await using fixture = await setUp();
    await fixture.issuer.addKey(algorithm);
    expect(await fixture.verify(await fixture.signed({ name: 'Ann' }))).toEqual({ id: 'ann', name: 'Ann' });
  });

  // Holds the agent to the contract: verifies('agent.algorithms')
  it('takes neither an unsigned token nor one signed with the public key as a secret', async () => {
    await using fixture = await setUp();
    const claims = { sub: 'ann', aud: AUDIENCE, iss: fixture.issuer.issuer, exp: fixture.clock.nowMs() / 1_000 + 60 };
    await expect(fixture.verify(new UnsecuredJWT(claims).encode())).rejects.toEqual(refused(/RS256|verified/));
    const [jwk = {}] = fixture.issuer.keys;
    const secret = new TextEncoder().encode(
      await exportSPKI((await importJWK(jwk, 'ES256', { extractable: true })) as CryptoKey),
    );
    const forged = await new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: jwk.kid ?? '' }).sign(secret);
    await expect(fixture.verify(forged)).rejects.toEqual(refused(/RS256/));
  });

  it('says what is wrong with a token, without the token', async () => {
    await using fixture = await setUp();
    const { clock, issuer, signed } = fixture;
    const cases: [string, RegExp][] = [
      [await signed({ aud: 'other' }), /another audience/],
      [await signed({}, { issuer: 'https://evil.example' }), /another issuer/],
      [await signed({}, { expiresInSeconds: -11 }), /expired/],
      [await signed({ nbf: clock.nowMs() / 1_000 + 11 }), /not valid yet/],
      [await signed({}, { kid: undefined }), /kid/],
      [await issuer.sign({ aud: AUDIENCE }), /who its user is/],
      [await signed({ sub: 'a\0b' }), /user id/],
      [await signed({ sub: 'x'.repeat(256) }), /user id/],
      [await signed({ org_id: { a: 1 } }), /organisation id/],
      ['not a token', /verified/],
      ['', /verified/],
      [`${(await signed()).slice(0, -4)}AAAA`, /signature/],
      ['x'.repeat(20_000), /too long/],
    ];
    for (const [token, reason] of cases) {
      const error = await fixture.verify(token).then(
        () => expect.fail(`took ${token.slice(0, 20)}, which should fail with ${reason}`),
        (thrown: Error) => thrown,
      );
      expect(error).toEqual(refused(reason));
      if (token.length > 20) expect(error.message).not.toContain(token.slice(0, 20));
    }
  });

  // Holds the agent to the contract: verifies('agent.token-checks')
  it('forgives ten seconds between clocks', async () => {
    await using fixture = await setUp();
    expect(await fixture.verify(await fixture.signed({}, { expiresInSeconds: -9 }))).toEqual({ id: 'ann' });
    const early = await fixture.signed({ nbf: fixture.clock.nowMs() / 1_000 + 9 });
    expect(await fixture.verify(early)).toEqual({ id: 'ann' });
  });

  it('fetches the keys once for many tokens, and again for a key that is new', async () => {
    await using fixture = await setUp();
    const token = await fixture.signed();
    await Promise.all(Array.from({ length: 20 }, () => fixture.verify(token)));
    expect(fixture.issuer.keySetReads).toBe(1);
    await fixture.issuer.addKey();
    fixture.clock.advance(10_000);
    expect(await fixture.verify(await fixture.signed())).toEqual({ id: 'ann' });
    expect(await fixture.verify(token)).toEqual({ id: 'ann' });
    expect(fixture.issuer.keySetReads).toBe(2);
  });

  it('does not let made-up key ids become requests to the provider', async () => {
    await using fixture = await setUp();
    await fixture.verify(await fixture.signed());
    for (let second = 0; second < 30; second++) {
      fixture.clock.advance(1_000);
      const made = await fixture.signed({}, { kid: `made-up-${second}` });
      await expect(fixture.verify(made)).rejects.toEqual(refused(/does not have/));
    }
    expect(fixture.issuer.keySetReads).toBe(4);
  });

  // Fails without the cache, when it keeps longer than a minute, and when an entry outlives its token.
  it('verifies a signature once a minute, and refuses a token from its expiry on', async () => {
    await using fixture = await setUp();
    using verify = vi.spyOn(globalThis.crypto.subtle, 'verify');
    const token = await fixture.signed({}, { expiresInSeconds: 90 });
    await fixture.verify(token);
    fixture.clock.advance(59_000);
    await fixture.verify(token);
    expect(verify).toHaveBeenCalledTimes(1);
    fixture.clock.advance(1_000);
    await fixture.verify(token);
    expect(verify).toHaveBeenCalledTimes(2);
    fixture.clock.advance(40_000);
    await expect(fixture.verify(token)).rejects.toEqual(refused(/expired/));
  });

  it('refuses a key that the provider took back after five minutes', async () => {
    await using fixture = await setUp();
    const kid = fixture.issuer.keys[0]?.kid as string;
    const token = await fixture.signed({}, { expiresInSeconds: 3_600 });
    await fixture.verify(token);
    fixture.issuer.removeKey(kid);
    fixture.clock.advance(4 * 60_000);
    await fixture.verify(token);
    fixture.clock.advance(60_000);
    await expect(fixture.verify(token)).rejects.toEqual(refused(/does not have/));
  });

  it('goes on for an hour while the provider is away, then says so', async () => {
    await using fixture = await setUp();
    const token = await fixture.signed({}, { expiresInSeconds: 24 * 3_600 });
    await fixture.verify(token);
    fixture.issuer.failWith(500);
    fixture.clock.advance(59 * 60_000);
    await fixture.verify(token);
    fixture.clock.advance(2 * 60_000);
    await expect(fixture.verify(token)).rejects.toMatchObject({ code: 'unavailable' });
    fixture.issuer.failWith(undefined);
    fixture.clock.advance(10_000);
    await fixture.verify(token);
  });

  it('is unavailable, not unauthenticated, before it has any key', async () => {
    await using fixture = await setUp();
    fixture.issuer.failWith(503);
    await expect(fixture.verify(await fixture.signed())).rejects.toMatchObject({ code: 'unavailable' });
    fixture.issuer.failWith(undefined);
    await fixture.verify(await fixture.signed());
  });

  it('uses keys that were handed in without asking, and asks for those that it does not know', async () => {
    await using fixture = await setUp(({ issuer, jwksUrl, keys }) => ({
      issuer,
      jwksUrl,
      audience: AUDIENCE,
      jwks: { keys: [...keys] },
    }));
    fixture.issuer.failWith(500);
    const token = await fixture.signed({}, { expiresInSeconds: 24 * 3_600 });
    await fixture.verify(token);
    expect(fixture.issuer.keySetReads).toBe(0);
    fixture.clock.advance(12 * 3_600_000);
    await fixture.verify(token);
    fixture.issuer.failWith(undefined);
    fixture.clock.advance(10_000);
    await fixture.issuer.addKey();
    await fixture.verify(await fixture.signed());
  });

  // Fails when find() neither waits for the refresh in progress nor starts another one after it.
  it('takes a key that the provider added while an earlier request to it was under way', async () => {
    const held: PromiseWithResolvers<void>[] = [];
    await using fixture = await setUp(({ issuer, jwksUrl, keys }) => ({
      issuer,
      jwksUrl,
      audience: AUDIENCE,
      jwks: { keys: [...keys] },
      fetch: async (url, init) => {
        const answered = await fetch(url, init);
        held.push(Promise.withResolvers());
        await held.at(-1)?.promise;
        return answered;
      },
    }));
    const asked = (times: number) => expect.poll(() => held.length).toBe(times);
    fixture.clock.advance(5 * 60_000);
    await fixture.verify(await fixture.signed());
    await asked(1);
    fixture.clock.advance(10_000);
    await fixture.issuer.addKey();
    const token = await fixture.signed();
    const callers = Promise.all([fixture.verify(token), fixture.verify(token)]);
    held[0]?.resolve();
    await asked(2);
    held[1]?.resolve();
    expect(await callers).toEqual([{ id: 'ann' }, { id: 'ann' }]);
    expect(fixture.issuer.keySetReads).toBe(2);
  });

  // Fails when find() refuses while the refresh started by the same call is in progress.
  it('takes the first token with a new key although the keys that were handed in are old', async () => {
    await using fixture = await setUp(({ issuer, jwksUrl, keys }) => ({
      issuer,
      jwksUrl,
      audience: AUDIENCE,
      jwks: { keys: [...keys] },
    }));
    await fixture.issuer.addKey();
    fixture.clock.advance(3_600_000);
    const token = await fixture.signed();
    expect(await Promise.all([fixture.verify(token), fixture.verify(token)])).toEqual([{ id: 'ann' }, { id: 'ann' }]);
    expect(fixture.issuer.keySetReads).toBe(1);
  });

  // Holds the agent to the contract: verifies('agent.claims')
  it('reads users where the claims of common providers have them, or where it is told to', async () => {
    await using fixture = await setUp();
    const clerk = {
      o: { id: 'org_1', slg: 'acme', rol: 'admin' },
      pla: 'u:pro',
      fea: 'o:a,o:b',
      picture: 'https://x/y.png',
    };
    expect(await fixture.verify(await fixture.signed(clerk))).toEqual({
      id: 'ann',
      orgId: 'org_1',
      orgSlug: 'acme',
      orgRole: 'admin',
      plan: 'u:pro',
      features: ['o:a', 'o:b'],
      picture: 'https://x/y.png',
    });
    await using mapped = await setUp(({ issuer }) => ({
      issuer,
      audience: AUDIENCE,
      claims: { id: ['oid', 'sub'], orgId: 'https://acme.example/org', orgRole: 'a.b' },
    }));
    const token = await mapped.signed({ 'https://acme.example/org': 'o1', a: { b: 'admin' }, oid: 'user-7' });
    expect(await mapped.verify(token)).toEqual({ id: 'user-7', orgId: 'o1', orgRole: 'admin' });
  });

  // Fails when `requireAccessToken` isn't called, or no longer checks the claims of ID tokens.
  it.each<[string, JWTPayload, string | null]>([
    ['with a nonce', { nonce: 'n-1' }, 'JWT'],
    ['with the hash of an access token', { at_hash: 'x' }, null],
    ['with the hash of a code', { c_hash: 'x' }, 'JWT'],
    ['of Keycloak', { typ: 'ID' }, 'JWT'],
    ['of Cognito', { token_use: 'id' }, null],
  ])('refuses an ID token %s', async (_, claims, type) => {
    await using fixture = await setUp();
    await expect(fixture.verify(await fixture.signed(claims, { type }))).rejects.toEqual(refused(/is an ID token/));
  });

  it('refuses a token that is typed for another purpose', async () => {
    await using fixture = await setUp();
    const logout = fixture.verify(await fixture.signed({}, { type: 'application/logout+jwt' }));
    await expect(logout).rejects.toEqual(refused(/its type is logout\+jwt/));
  });

  it.each<[string, JWTPayload, string | null]>([
    ['typed by RFC 9068', { auth_time: 1, nonce: 'n-1' }, 'application/at+jwt'],
    ['of providers that type them as any other', { auth_time: 1, scope: 'openid' }, 'JWT'],
    ['without a type', {}, null],
    ['of older versions of Keycloak', { typ: 'Bearer', nonce: 'n-1' }, 'JWT'],
    ['of Cognito', { token_use: 'access' }, null],
  ])('takes access tokens %s', async (_, claims, type) => {
    await using fixture = await setUp();
    expect(await fixture.verify(await fixture.signed(claims, { type }))).toEqual({ id: 'ann' });
  });

  it('tells the page how to sign in, when it can', async () => {
    await using fixture = await setUp(({ issuer }) => ({ issuer, audience: AUDIENCE, clientId: 'web' }));
    expect(fixture.authenticator.signIn).toMatchObject({ issuer: fixture.issuer.issuer, client_id: 'web' });
    await using other = await setUp();
    expect(other.authenticator.signIn).toBeNull();
  });

  it('does not start without a provider, or over an open line', () => {
    const clock = createFakeClock();
    expect(() => open(oidc({}), clock)).toThrow(/needs the issuer/);
    for (const issuer of ['http://login.example.com', 'http://localhost.evil.example', 'ftp://x', 'x']) {
      expect(() => open(oidc({ issuer }), clock)).toThrow(/https/);
    }
  });

  it('does not take keys from a provider that says it is another', async () => {
    await using fixture = await setUp(({ issuer }) => ({
      issuer: issuer.replace('localhost', '127.0.0.1'),
      audience: AUDIENCE,
    }));
    await expect(fixture.verify(await fixture.signed())).rejects.toMatchObject({ code: 'unavailable' });
  });
});

describe('berth', () => {
  it('takes tokens of the platform for this deployment alone', async () => {
    const clock = createFakeClock();
    await using issuer = await createTestIssuer(clock);
    const environment = {
      BERTH_ISSUER: issuer.issuer,
      K_SERVICE: 'echo',
      BERTH_JWKS: JSON.stringify({ keys: issuer.keys }),
    };
    const authenticator = open(berth(), clock, environment);
    expect(await authenticator.verify(await issuer.sign({ sub: 'usr_1', aud: 'echo' }))).toEqual({ id: 'usr_1' });
    await expect(authenticator.verify(await issuer.sign({ sub: 'usr_1', aud: 'other' }))).rejects.toEqual(
      refused(/audience/),
    );
    expect(authenticator.signIn).toMatchObject({ issuer: issuer.issuer, client_id: 'echo' });
  });

  // Fails without `isTypeRequired`: an ID token of a sign-in without a nonce can't be recognized by its claims.
  it('takes only what the platform typed as an access token', async () => {
    const clock = createFakeClock();
    await using issuer = await createTestIssuer(clock);
    const environment = {
      BERTH_ISSUER: issuer.issuer,
      K_SERVICE: 'echo',
      BERTH_JWKS: JSON.stringify({ keys: issuer.keys }),
    };
    const authenticator = open(berth(), clock, environment);
    for (const type of ['JWT', null]) {
      const idToken = await issuer.sign({ sub: 'usr_1', aud: 'echo', auth_time: 1 }, { type });
      await expect(authenticator.verify(idToken)).rejects.toEqual(refused(/must be at\+jwt/));
    }
  });

  it('signs in with a platform that is named, while the agent is on its developer’s machine', async () => {
    const clock = createFakeClock();
    await using issuer = await createTestIssuer(clock);
    const environment = { BERTH_ISSUER: issuer.issuer, BERTH_JWKS: JSON.stringify({ keys: issuer.keys }) };
    const authenticator = open(berth(), clock, environment, false);
    const token = await issuer.sign({ sub: 'usr_1', aud: 'http://localhost' });
    expect(await authenticator.verify(token)).toEqual({ id: 'usr_1' });
    expect(authenticator.signIn).toMatchObject({ client_id: 'http://localhost' });
    expect(() => open(berth(), clock, environment)).toThrow(/Deploy the agent/);
  });

  it('does not start where no platform is', () => {
    expect(() => open(berth(), createFakeClock())).toThrow(/Deploy the agent/);
    const environment = { BERTH_ISSUER: 'http://x', K_SERVICE: 'echo', BERTH_JWKS: '{' };
    expect(() => open(berth(), createFakeClock(), environment)).toThrow(/BERTH_JWKS/);
  });
});

describe('dev', () => {
  it('is one user, on one’s own machine only', async () => {
    const clock = createFakeClock();
    expect(await open(dev(), clock, {}, false).verify('anything')).toEqual({ id: 'dev', name: 'Developer' });
    expect(() => open(dev(), clock)).toThrow(/production/);
  });
});
