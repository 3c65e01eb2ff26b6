import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { answerJson } from '@berth/client/testing';
import { expect, test } from 'vitest';
import { useBerth } from '../../testing/use-berth.ts';

const berth = useBerth();
const ada = { id: 'usr_1', name: 'Ada', email: 'a@b.c' };

test('passkeys are listed, named and removed; a person is called what they like', async () => {
  const { server, run } = berth;
  const passkey = {
    id: 'pky_1',
    name: 'Bitwarden',
    is_synced: true,
    created_at: '2026-11-01T00:00:00Z',
    last_used_at: null,
  };
  server.on('GET /v1/user/passkeys', answerJson(200, []));
  expect((await run(['passkeys', 'ls'])).stderr).toContain(`${server.url}/account`);
  server.on('GET /v1/user/passkeys', answerJson(200, [passkey]));
  server.on('POST /v1/user/passkeys/rename', answerJson(200, { ...passkey, name: 'vault' }));
  server.on('DELETE /v1/user/passkeys', answerJson(409, { detail: 'This is your only way to sign in.' }));
  server.on('POST /v1/user/profile', answerJson(200, { ...ada, name: 'Ada Lovelace' }));
  expect((await run(['passkeys', 'ls'])).stdout).toMatch(/pky_1 +Bitwarden +synced .* never/);
  expect((await run(['passkeys', 'rename', 'pky_1', 'vault'])).stdout).toBe('pky_1 is called vault now.\n');
  const removed = await run(['passkeys', 'rm', 'pky_1', '-y']);
  expect([removed.code, removed.stderr]).toEqual([1, expect.stringContaining('only way')]);
  expect(server.requests.at(-1)).toBe('DELETE /v1/user/passkeys?id=pky_1');
  expect((await run(['profile', 'Ada Lovelace'])).stdout).toBe('Your name is now Ada Lovelace now.\n');
});

test('a password is changed by who has one, and the new session is kept', async () => {
  const { server } = berth;
  const signedIn = { token: 'tok', expires_at: '2026-11-02T00:00:00Z', user: ada };
  let sent: unknown;
  server.on('POST /v1/auth/sign-in/email', answerJson(200, signedIn));
  server.on('GET /v1/user', answerJson(200, { account: { id: 'a', name: 'acme' }, user: ada, key: null, scopes: [] }));
  server.on('GET /v1/auth/get-session', answerJson(200, signedIn));
  server.on('POST /v1/auth/change-password', async (exchange) => {
    sent = await exchange.json();
    await answerJson(200, { ...signedIn, token: 'tok-2' })(exchange);
  });
  expect((await berth.run(['password'])).code).toBe(2);
  await berth.runAlone(['login', '--url', server.url, '--email', 'a@b.c'], 'pass word\n');
  const changed = await berth.runAlone(['password'], 'pass word\nanother long password\n');
  expect([changed.code, changed.stdout]).toEqual([0, expect.stringContaining('All other sessions were signed out')]);
  expect(sent).toEqual({
    current_password: 'pass word',
    new_password: 'another long password',
    end_other_sessions: true,
  });
  const kept = await readFile(path.join(berth.home.path, '.config/berth/config.json'), 'utf8');
  expect([kept.includes('tok-2'), changed.stdout.includes('tok-2')]).toEqual([true, false]);
});
