import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { challengeOf } from './pkce.ts';
import { createProvider, SignInRefused } from './provider.ts';

const ISSUER = 'https://id.example.com';
const PENDING = { state: 's1', verifier: 'v1', returnTo: '/?id=c1', isWindow: false };
const NOW_MS = Date.parse('2026-01-01T00:00:00Z');

/** Answers of the provider, by path. */
let answers: Record<string, () => Response>;
let asked: { readonly path: string; readonly form: URLSearchParams }[];

beforeEach(() => {
  vi.useFakeTimers({ now: NOW_MS, toFake: ['Date'] });
  asked = [];
  answers = {
    '/.well-known/openid-configuration': () =>
      Response.json({
        authorization_endpoint: `${ISSUER}/authorize?tenant=1`,
        token_endpoint: `${ISSUER}/token`,
        end_session_endpoint: `${ISSUER}/logout`,
        authorization_response_iss_parameter_supported: true,
      }),
    '/token': () => Response.json({ access_token: 'a1', refresh_token: 'r1', id_token: 'i1', expires_in: 60 }),
  };
  vi.stubGlobal('fetch', async (url: string, init?: RequestInit) => {
    const { pathname } = new URL(url);
    asked.push({ path: pathname, form: new URLSearchParams(init?.body as URLSearchParams | undefined) });
    return answers[pathname]?.() ?? new Response(null, { status: 404 });
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const open = () =>
  createProvider(
    { issuer: `${ISSUER}/`, client_id: 'page', scope: 'openid profile email offline_access' },
    'https://agent.example.com/',
  );
const answer = (query: Record<string, string>) => new URLSearchParams(query);
const GOOD = { code: 'c', state: 's1', iss: ISSUER };

test('a sign-in begins with a challenge, never with the verifier', async () => {
  const url = new URL(await open().signInUrl(PENDING));
  expect(Object.fromEntries(url.searchParams)).toMatchObject({
    tenant: '1',
    response_type: 'code',
    client_id: 'page',
    redirect_uri: 'https://agent.example.com/',
    state: 's1',
    code_challenge: await challengeOf('v1'),
    code_challenge_method: 'S256',
  });
  expect(url.href).not.toContain('v1');
});

// Fails when the resource is left out of one of the three requests: providers then issue a token for another audience.
test('all requests name the resource that the agent is', async () => {
  const provider = createProvider(
    {
      ...{ issuer: ISSUER, client_id: 'page', scope: 'openid', resource: 'https://api.example.com' },
      parameters: { audience: 'api', client_id: 'other' },
    },
    'https://agent.example.com/',
  );
  const url = new URL(await provider.signInUrl(PENDING));
  const { resource, audience, client_id } = Object.fromEntries(url.searchParams);
  expect({ resource, audience, client_id }).toEqual({
    ...{ resource: 'https://api.example.com', audience: 'api', client_id: 'page' },
  });
  await provider.redeem(answer(GOOD), PENDING);
  await provider.renew('r1');
  const sent = asked.filter(({ path }) => path === '/token').map(({ form }) => form.get('resource'));
  expect(sent).toEqual(['https://api.example.com', 'https://api.example.com']);
});

test('the challenge is that of the RFC', async () => {
  // Source: RFC 7636, appendix B.
  expect(await challengeOf('dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk')).toBe(
    'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  );
});

test('an answer to the sign-in that was begun here becomes tokens', async () => {
  const tokens = await open().redeem(answer(GOOD), PENDING);
  expect(tokens).toEqual({ access: 'a1', refresh: 'r1', id: 'i1', expiresAtMs: NOW_MS + 60_000 });
  expect(Object.fromEntries(asked.at(-1)?.form ?? [])).toEqual({
    grant_type: 'authorization_code',
    code: 'c',
    redirect_uri: 'https://agent.example.com/',
    code_verifier: 'v1',
    client_id: 'page',
  });
});

describe('an answer is refused', () => {
  // Fails when `state` or `iss` isn't compared (RFC 6749 section 10.12, RFC 9207): the code is another person's.
  test.each([
    ['of another state', { ...GOOD, state: 's2' }, PENDING],
    ['of a sign-in that nobody began here', GOOD, undefined],
    ['of another issuer', { ...GOOD, iss: 'https://evil.example.com' }, PENDING],
    ['without its issuer, which this provider names', { code: 'c', state: 's1' }, PENDING],
    ['without a code', { state: 's1', iss: ISSUER, error: 'access_denied' }, PENDING],
  ])('%s', async (_name, query, pending) => {
    await expect(open().redeem(answer(query), pending)).rejects.toBeInstanceOf(SignInRefused);
    expect(asked.map(({ path }) => path)).not.toContain('/token');
  });
});

test('a provider that says no ends the sign-in, and one that is away does not', async () => {
  const provider = open();
  answers['/token'] = () => new Response(null, { status: 503 });
  await expect(provider.renew('r1')).rejects.not.toBeInstanceOf(SignInRefused);
  answers['/token'] = () => new Response(null, { status: 400 });
  await expect(provider.renew('r1')).rejects.toBeInstanceOf(SignInRefused);
});

// Fails when the failed discovery stays in memory: the page could never sign in again.
test('a discovery that failed is tried again', async () => {
  const provider = open();
  const good = answers['/.well-known/openid-configuration'] as () => Response;
  answers['/.well-known/openid-configuration'] = () => new Response(null, { status: 502 });
  await expect(provider.signInUrl(PENDING)).rejects.toThrow('502');
  answers['/.well-known/openid-configuration'] = good;
  expect(await provider.signInUrl(PENDING)).toContain('/authorize');
});

test('a sign-in address that is a script is refused', async () => {
  answers['/.well-known/openid-configuration'] = () =>
    Response.json({ authorization_endpoint: 'javascript:alert(1)', token_endpoint: `${ISSUER}/token` });
  await expect(open().signInUrl(PENDING)).rejects.toBeInstanceOf(SignInRefused);
});
