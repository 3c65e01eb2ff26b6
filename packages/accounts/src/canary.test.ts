import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { isOnPostgres } from '@berth/database/testing';
import { expect, test } from 'vitest';
import { createAccountFixture } from './testing/account-fixture.ts';

// On Postgres there is no file.
test.skipIf(isOnPostgres)(
  'no secret is in the database, its log file, the log, an error or the OpenAPI document',
  async () => {
    await using fixture = await createAccountFixture();
    const { call, folder, logLines, operatorKey: key, other } = fixture;
    const password = 'canary-password-of-ann';
    const user = { email: 'ann@example.org', password };
    const { body: acme } = await call('POST', '/v1/admin/accounts', { key, json: { name: 'acme', user } });
    const { body: made } = await call('POST', '/v1/user/keys', { key, json: { name: 'made', scopes: ['read'] } });
    const { body: session } = await call('POST', '/v1/auth/sign-in/email', { json: user });
    await call('GET', '/v1/auth/get-session', { bearer: session.token });
    await call('GET', '/v1/user', { bearer: session.token });

    const wrong = 'canary-of-a-wrong-credential-0123456789';
    const answers = [
      await call('GET', '/v1/user', { key: wrong }),
      await call('GET', '/v1/user', { bearer: wrong }),
      await call('GET', `/v1/user?api_key=${wrong}`),
      await call('POST', '/v1/auth/sign-in/email', { json: { ...user, password: wrong } }),
      await call('POST', '/v1/auth/change-password', {
        bearer: session.token,
        json: { current_password: wrong, new_password: `${wrong}-new` },
      }),
      await call('POST', '/v1/user/keys', { key, json: { name: 7, secret: wrong } }),
      await call('GET', '/v1/user/keys', { key }),
      await call('GET', '/v1/user/audit', { key }),
      await call('GET', '/openapi.json'),
    ];

    const secrets = [key, other.key.secret, acme.key.secret, made.secret, session.token, password, wrong];
    const names = readdirSync(folder);
    expect(names).toEqual(expect.arrayContaining(['berth.db', 'berth.db-wal']));
    const places: [string, string][] = [
      ...names.map((name): [string, string] => [name, readFileSync(path.join(folder, name), 'latin1')]),
      ['log', logLines.join('\n')],
      ...answers.map(({ body }): [string, string] => ['answer', JSON.stringify(body)]),
    ];
    // The search itself must be able to find something.
    expect(places.filter(([, text]) => text.includes('ann@example.org')).map(([name]) => name)).toContain(
      'berth.db-wal',
    );
    expect(places.find(([name]) => name === 'log')?.[1]).toContain('/v1/user/keys');
    for (const secret of secrets) {
      expect(secret.length).toBeGreaterThan(16);
      for (const [name, text] of places) expect([name, text.includes(secret)]).toEqual([name, false]);
    }
  },
);
