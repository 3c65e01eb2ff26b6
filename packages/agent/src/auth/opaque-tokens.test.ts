import { createFakeClock } from '@berth/testkit';
import { describe, expect, it } from 'vitest';
import { type OidcOptions, oidc } from './oidc.ts';
import { createTestIssuer } from './testing/create-test-issuer.ts';

const ISSUER = 'https://id.example';
const CLIENT = { clientId: 'agent', clientSecret: 'hush' };
const DISCOVERY = { issuer: ISSUER, introspection_endpoint: `${ISSUER}/introspect`, userinfo_endpoint: `${ISSUER}/me` };

/** A provider whose answers the test sets, by path; functions throw or answer again each time. */
function setUp(
  answers: Record<string, unknown>,
  more: OidcOptions = {},
  base: OidcOptions = { issuer: ISSUER, opaqueTokens: CLIENT },
) {
  const clock = createFakeClock();
  const asked: string[] = [];
  const logged: string[] = [];
  const log = (fields: object, message: string) => void logged.push(`${message} ${JSON.stringify(fields)}`);
  const fetch = async (url: string) => {
    const path = new URL(url).pathname;
    asked.push(path);
    const answer = path.startsWith('/.well-known') ? DISCOVERY : answers[path];
    return answer instanceof Response ? answer.clone() : Response.json(answer);
  };
  const logger = { debug: log, info: log, warn: log, error: log, child: () => logger };
  const context = { environment: {}, isProduction: true, clock, logger };
  const open = () => oidc({ ...base, fetch, ...more }).open(context);
  return {
    clock,
    answers,
    logged,
    open,
    agent: open(),
    count: (path: string) => asked.filter((one) => one === path).length,
  };
}

const refused = (reason: RegExp) =>
  expect.objectContaining({ code: 'unauthenticated', message: expect.stringMatching(reason) });

describe('introspection', () => {
  // Fails when an answer counts for its full minute although the token ends before.
  it('counts until the token ends', async () => {
    const { agent, clock, count, answers } = setUp({});
    answers['/introspect'] = { active: true, sub: 'ann', exp: clock.nowMs() / 1_000 + 20 };
    await agent.verify('token');
    clock.advance(19_999);
    await agent.verify('token');
    expect(count('/introspect')).toBe(1);
    clock.advance(1);
    answers['/introspect'] = { active: false };
    await expect(agent.verify('token')).rejects.toEqual(refused(/invalid or has expired/));
    // A refusal counts for ten seconds.
    await expect(agent.verify('token')).rejects.toEqual(refused(/invalid or has expired/));
    expect(count('/introspect')).toBe(2);
    answers['/introspect'] = { active: true, sub: 'ann' };
    clock.advance(10_000);
    await agent.verify('token');
  });

  // Fails when the claims of an active token aren't compared.
  it.each([
    [{ iss: 'https://other.example' }, /another issuer/],
    [{ exp: 1 }, /expired/],
    [{ exp: 'soon' }, /expired/],
    [{ nbf: 9_999_999_999 }, /not valid yet/],
    [{ token_type: 'DPoP' }, /not an access token/],
    [{ typ: 'Refresh' }, /not an access token/],
    [{ token_use: 'refresh_token' }, /not an access token/],
    [{ aud: 'other', client_id: 'api' }, /another audience/],
    [{}, /another audience/],
    [{ client_id: 'api', sub: undefined }, /who its user is/],
  ])('refuses an active token with %j', async (claims, reason) => {
    const answer = { active: true, sub: 'ann', ...claims };
    const { agent } = setUp({ '/introspect': answer }, { audience: 'api' });
    await expect(agent.verify('token')).rejects.toEqual(refused(reason));
  });

  it.each([
    ['status 500', new Response('down', { status: 500 }), /answered 500/],
    ['a wrong secret', Response.json({ error: 'invalid_client' }, { status: 401 }), /clientSecret.*invalid_client/],
    ['a page', new Response('<html>'), /answered 200, not an introspection/],
    ['a redirect', { issuer: ISSUER }, /not an introspection/],
  ])('answers 503 and logs the cause at %s, and recovers', async (_what, answer, cause) => {
    const { agent, answers, logged } = setUp({ '/introspect': answer });
    await expect(agent.verify('s3cret-token')).rejects.toMatchObject({ code: 'unavailable' });
    expect(logged.join()).toMatch(cause);
    expect(logged.join()).not.toContain('s3cret-token');
    answers['/introspect'] = { active: true, sub: 'ann' };
    expect(await agent.verify('s3cret-token')).toEqual({ id: 'ann' });
  });

  // Fails when concurrent requests with one token ask the provider each.
  it('asks once for concurrent requests with one token', async () => {
    const { agent, count } = setUp({ '/introspect': { active: true, sub: 'ann' } });
    await Promise.all(Array.from({ length: 50 }, () => agent.verify('token')));
    expect([count('/introspect'), count('/.well-known/openid-configuration')]).toEqual([1, 1]);
  });

  it.each<[OidcOptions, RegExp, OidcOptions?]>([
    [{ opaqueTokens: { clientId: 'a', clientSecret: '' } }, /clientSecret/],
    [{ opaqueTokens: { ...CLIENT, url: 'http://id.example/introspect' } }, /https/],
    [{ jwksUrl: 'https://id.example/keys' }, /needs the issuer/, { opaqueTokens: CLIENT }],
    [{ opaqueTokens: 'userinfo', audience: 'api' }, /can't check an audience/],
    [{ opaqueTokens: 'userinfo', resource: 'https://api.example' }, /can't check an audience/],
    [{ resource: 'api' }, /absolute URI/],
    [{ authorizationParameters: { state: 'x' } }, /state/],
  ])('does not start with %j', (options, message, base) => {
    expect(() => setUp({}, options, base)).toThrow(message);
  });
});

describe('names and addresses from userinfo', () => {
  const ACTIVE = { active: true, sub: 'ann', scope: 'openid profile email' };

  // Fails when ids or roles are read from userinfo: a person would have other data while it is away.
  it('are all that is taken from it', async () => {
    const me = { sub: 'ann', name: 'Ann', email: 'a@x.example', org_id: 'acme', org_role: 'admin' };
    const { agent } = setUp({ '/introspect': { ...ACTIVE, name: 'Of the token' }, '/me': me });
    expect(await agent.verify('token')).toEqual({ id: 'ann', name: 'Of the token', email: 'a@x.example' });
  });

  it.each([
    ['answers about another person', { sub: 'bob', name: 'Bob' }],
    ['is down', new Response('', { status: 503 })],
    ['refuses the token', new Response('', { status: 401 })],
  ])('are left out while it %s, which nobody is refused for', async (_what, me) => {
    const { agent, answers, clock, count, logged } = setUp({ '/introspect': ACTIVE, '/me': me });
    expect([await agent.verify('token'), await agent.verify('token')]).toEqual([{ id: 'ann' }, { id: 'ann' }]);
    expect([count('/me'), logged.join()]).toEqual([1, expect.stringContaining('returned no userinfo')]);
    answers['/me'] = { sub: 'ann', name: 'Ann' };
    clock.advance(60_000);
    expect(await agent.verify('token')).toEqual({ id: 'ann', name: 'Ann' });
  });

  // Fails when userinfo is asked for tokens whose scope doesn't allow it, or that lack nothing.
  it.each([
    [{ ...ACTIVE, scope: 'read' }, {}],
    [{ ...ACTIVE, scope: 'openid' }, {}],
    [{ ...ACTIVE, name: 'Ann', email: 'a@x.example' }, {}],
    [ACTIVE, { userinfo: false }],
  ])('are not requested for %j %j', async (answer, options) => {
    const { agent, count } = setUp({ '/introspect': answer }, options);
    await agent.verify('token');
    expect(count('/me')).toBe(0);
  });

  it('are added to JWTs that lack them', async () => {
    const clock = createFakeClock();
    await using issuer = await createTestIssuer(clock);
    const { agent, count } = setUp(
      { '/me': { sub: 'ann', name: 'Ann', email: 'a@x.example' } },
      {},
      {
        issuer: ISSUER,
        jwks: { keys: [...issuer.keys] },
      },
    );
    const token = await issuer.sign({ sub: 'ann', scope: 'openid profile email' }, { issuer: ISSUER });
    expect(await agent.verify(token)).toEqual({ id: 'ann', name: 'Ann', email: 'a@x.example' });
    await agent.verify(token);
    expect(count('/me')).toBe(1);
  });
});
