import { ACCESS_CREDENTIALS, type AccessMatrixOptions, type AccessOperation, runAccessMatrix } from '@berth/testkit';
import { expect, test } from 'vitest';
import { type AccountFixture, createAccountFixture } from './testing/account-fixture.ts';

async function matrixOf(fixture: AccountFixture): Promise<AccessMatrixOptions> {
  const { api, call, clock, operatorKey, other } = fixture;
  const make = async (name: string, scopes: string[], expiresInMs?: number) => {
    const expires_at = expiresInMs === undefined ? null : new Date(clock.nowMs() + expiresInMs).toISOString();
    const { body } = await call('POST', '/v1/user/keys', { key: operatorKey, json: { name, scopes, expires_at } });
    return body as { id: string; secret: string };
  };
  const invite = async () => (await call('POST', '/v1/user/invites', { key: operatorKey, json: {} })).body;
  const token = (await invite()).link.split('#')[1] as string;
  const json = { token, email: 'canary@example.org', password: 'correct horse battery', name: 'Canary' };
  const ann = (await call('POST', '/v1/auth/invites/accept', { json })).body.user as { id: string };
  const expired = await make('expired', ['admin'], 1_000);
  const revoked = await make('revoked', ['admin']);
  const readOnly = await make('read-only', ['read']);
  clock.advance(1_000);
  await call('DELETE', `/v1/user/keys?id=${revoked.id}`, { key: operatorKey });
  return {
    send: async (request) => api.fetch(request),
    origin: 'http://localhost',
    credentials: {
      bad: { 'X-API-Key': 'berth_bad' },
      'bad beside good': { 'X-API-Key': 'berth_bad', Authorization: `Bearer ${operatorKey}` },
      expired: { 'X-API-Key': expired.secret },
      revoked: { Authorization: `Bearer ${revoked.secret}` },
      'read-only': { 'X-API-Key': readOnly.secret },
      'other account': { 'X-API-Key': other.key.secret },
      owner: { Authorization: `Bearer ${operatorKey}` },
    },
    async sample({ id }: AccessOperation) {
      if (id === 'POST /v1/user/members') return { json: { user_id: ann.id, role: 'owner' }, isOwned: true };
      if (id === 'DELETE /v1/user/members') return { query: `?user_id=${ann.id}`, isOwned: true };
      if (id === 'POST /v1/user/members/reset-password') return { json: { user: ann.id } };
      if (id === 'POST /v1/user/invites') return { json: { role: 'member' } };
      if (id === 'DELETE /v1/user/invites') return { query: `?id=${(await invite()).id}`, isOwned: true };
      if (id === 'POST /v1/user/invites/accept') return { json: { token: 'unknown' } };
      if (id === 'POST /v1/user/keys') return { json: { name: 'canary-name', scopes: ['read'] } };
      if (id === 'DELETE /v1/user/keys') return { query: `?id=${(await make('spare', ['read'])).id}`, isOwned: true };
      if (id === 'POST /v1/admin/accounts') return { json: { name: 'canary-account' }, isOwned: true };
      if (id === 'POST /v1/user/device') return { json: { user_code: 'BCDF-GHJK', approve: true } };
      if (id === 'POST /v1/user/passkeys/rename') return { json: { id: 'pky_x', name: 'x' } };
      if (id === 'DELETE /v1/user/passkeys') return { query: '?id=pky_x' };
      if (id === 'POST /v1/user/email') return { json: { email: 'new@example.org' } };
      if (id === 'POST /v1/admin/mail/test') return { json: { email: 'new@example.org' }, isOwned: true };
      if (id === 'POST /v1/user/profile') return { json: { name: 'x' } };
      if (id === 'DELETE /v1/user/sessions') return { query: '?id=ses_x' };
      return {};
    },
    canaries: ['bootstrap', 'operator"', 'spare', 'canary@example.org'],
  };
}

test('every route of accounts answers every credential as the contract says', async () => {
  await using fixture = await createAccountFixture({ mail() {} });
  const results = await runAccessMatrix(await matrixOf(fixture));
  const operations = new Set(results.map(({ operation }) => operation));
  expect([...operations].sort()).toEqual([
    'DELETE /v1/user/identities',
    'DELETE /v1/user/invites',
    'DELETE /v1/user/keys',
    'DELETE /v1/user/members',
    'DELETE /v1/user/passkeys',
    'DELETE /v1/user/sessions',
    'GET /v1/admin/mail',
    'GET /v1/user',
    'GET /v1/user/accounts',
    'GET /v1/user/audit',
    'GET /v1/user/device',
    'GET /v1/user/identities',
    'GET /v1/user/invites',
    'GET /v1/user/keys',
    'GET /v1/user/members',
    'GET /v1/user/passkeys',
    'GET /v1/user/sessions',
    'POST /v1/admin/accounts',
    'POST /v1/admin/mail/test',
    'POST /v1/user/device',
    'POST /v1/user/email',
    'POST /v1/user/identities',
    'POST /v1/user/invites',
    'POST /v1/user/invites/accept',
    'POST /v1/user/keys',
    'POST /v1/user/leave',
    'POST /v1/user/members',
    'POST /v1/user/members/reset-password',
    'POST /v1/user/passkeys',
    'POST /v1/user/passkeys/options',
    'POST /v1/user/passkeys/rename',
    'POST /v1/user/profile',
    'POST /v1/user/sessions/end-others',
  ]);
  expect(results).toHaveLength(operations.size * ACCESS_CREDENTIALS.length);
  expect(results.filter(({ fault }) => fault !== undefined)).toEqual([]);
});

test('the matrix finds a route that forgot whose things it shows', async () => {
  await using fixture = await createAccountFixture({ mail() {} });
  const options = await matrixOf(fixture);
  const { body } = await fixture.call('GET', '/v1/user/keys', { key: fixture.operatorKey });
  const results = await runAccessMatrix({
    ...options,
    async send(request) {
      const response = await options.send(request);
      const isLeak = new URL(request.url).pathname === '/v1/user/keys' && request.method === 'GET' && response.ok;
      return isLeak ? new Response(JSON.stringify(body), response) : response;
    },
  });
  expect(results.filter(({ fault }) => fault !== undefined)).toEqual([
    {
      operation: 'GET /v1/user/keys',
      credential: 'other account',
      status: 200,
      fault: 'something of the owner is in the answer',
    },
  ]);
});
