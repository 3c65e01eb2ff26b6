import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { answerJson } from '@berth/client/testing';
import { expect, test } from 'vitest';
import { useBerth } from '../testing/use-berth.ts';

const berth = useBerth();

const me = {
  account: { id: 'a', name: 'acme' },
  user: null,
  key: { id: 'k', name: 'main', start: 'abc' },
  scopes: ['read'],
};
test('checks a key from standard input, keeps it private, and it is used from then on', async () => {
  berth.server.on('GET /v1/user', answerJson(200, me));
  berth.server.on('GET /v1/deployment/list', answerJson(200, []));
  expect(await berth.runAlone(['login', '--url', berth.server.url], ' the-key\n')).toMatchObject({
    code: 0,
    stdout: `Signed in to ${berth.server.url} as acme.\n`,
  });
  const file = path.join(berth.home.path, '.config/berth/config.json');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await readFile(file, 'utf8')).toContain('the-key');
  expect(await berth.runAlone(['ls'])).toMatchObject({ code: 0 });
  expect(berth.server.headers.at(-1)?.['x-api-key']).toBe('the-key');
  expect(await berth.runAlone(['logout'])).toMatchObject({ code: 0 });
  expect(await readFile(file, 'utf8')).not.toContain('the-key');
  expect(await berth.runAlone(['whoami', '--url', berth.server.url])).toMatchObject({ code: 1 });
});

test('a wrong key is not kept', async () => {
  berth.server.on('GET /v1/user', answerJson(401, { detail: 'No such key.' }));
  expect(await berth.runAlone(['login', '--url', berth.server.url, '--key', 'bad'])).toMatchObject({ code: 1 });
  await expect(stat(path.join(berth.home.path, '.config'))).rejects.toThrow();
  expect(await berth.runAlone(['login', '--url', berth.server.url])).toMatchObject({ code: 2 });
});

test('a person gets a session, which ends with the logout', async () => {
  berth.server.on('POST /v1/auth/sign-in/email', answerJson(200, { token: 'tok', expires_at: '', user: {} }));
  berth.server.on('POST /v1/auth/sign-out', answerJson(200, { detail: 'ok' }));
  berth.server.on(
    'GET /v1/user',
    answerJson(200, { ...me, key: null, user: { id: 'u', name: 'Ada', email: 'a@b.c' } }),
  );
  expect(await berth.runAlone(['login', '--url', berth.server.url, '--email', 'a@b.c'], 'pass word\n')).toMatchObject({
    code: 0,
  });
  expect(berth.server.headers.at(-1)?.authorization).toBe('Bearer tok');
  expect((await berth.runAlone(['whoami'])).stdout).toContain('Ada <a@b.c>');
  await berth.runAlone(['logout']);
  expect(berth.server.requests.at(-1)).toBe('POST /v1/auth/sign-out');
});

test('the key of a server on this machine is found in its data folder', async () => {
  berth.server.on('GET /v1/user', answerJson(200, me));
  await berth.home.write({ '.berth/api-key': 'from-the-data-folder\n' });
  expect(await berth.runAlone(['whoami', '--url', berth.server.url])).toMatchObject({ code: 0 });
  expect(berth.server.headers.at(-1)?.['x-api-key']).toBe('from-the-data-folder');
});
