import { expect, test } from 'vitest';
import { openTestOidcProvider } from '../oidc/testing/open-test-oidc-provider.ts';
import { createIdentityFixture, ISSUER } from './testing/identity-fixture.ts';

test('who has no password goes on to an agent by an outside provider', async () => {
  await using idp = await openTestOidcProvider();
  const provider = {
    ...{ id: 'acme', name: 'Acme & Co', issuer: idp.issuer, client_id: idp.clientId, client_secret: idp.clientSecret },
    ...{ scope: 'openid', email_domains: [], link_by_email: false, trust_email: false },
    new_people: { account: 'other', role: 'member' },
  } as const;
  await using fixture = await createIdentityFixture({ oidcProviders: [provider] });
  const browser = fixture.browser();
  const query = new URLSearchParams({
    ...{ response_type: 'code', client_id: 'helper', redirect_uri: 'http://helper.localhost:8787/cb', state: 'x y&z' },
    ...{ code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM', code_challenge_method: 'S256' },
    ...{ scope: 'openid', prompt: 'login' },
  });
  const { text } = await browser.open(`${ISSUER}/oauth2/authorize?${query}`);
  expect(text).toContain('Continue with Acme &amp; Co');
  const href = /<a class="button" href="([^"]+)"/.exec(text)?.[1]?.replaceAll('&amp;', '&');
  idp.signIn({ claims: { sub: 'ada', email: 'ada@example.org', email_verified: true, name: 'Ada' } });
  const leftTo = (await browser.open(`${ISSUER}${href}`)).leftTo;
  const back = await idp.visit(String(leftTo));
  expect((await browser.open(back.href)).text).toContain('Ada');
  const agent = (await browser.submit({ decision: 'allow' })).leftTo;
  expect(agent?.origin).toBe('http://helper.localhost:8787');
  expect(agent?.searchParams.get('state')).toBe('x y&z');
  expect(agent?.searchParams.get('code')).toMatch(/./);
});
