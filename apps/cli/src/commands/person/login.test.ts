import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { answerJson } from '@berth/client/testing';
import { expect, test } from 'vitest';
import { useBerth } from '../../testing/use-berth.ts';

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

test('a person who confirms a code in a browser gets a session', async () => {
  let polls = 0;
  berth.server.on('POST /v1/auth/device/code', async ({ json, response }) => {
    expect(await json()).toEqual({ device_name: expect.stringMatching(/^berth on ./) });
    const verification_uri = `${berth.server.url}/device`;
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify({
        device_code: 'dev',
        user_code: 'BCDF-GHJK',
        expires_in: 600,
        interval: 0,
        verification_uri,
        verification_uri_complete: `${verification_uri}?code=BCDF-GHJK`,
      }),
    );
  });
  berth.server.on('POST /v1/auth/device/token', (exchange) =>
    polls++ === 0
      ? answerJson(400, { error: 'authorization_pending', detail: 'Not yet.' })(exchange)
      : answerJson(200, { token: 'from-the-browser', expires_at: '', user: {} })(exchange),
  );
  berth.server.on('GET /v1/user', answerJson(200, { ...me, key: null }));
  berth.server.on('GET /v1/auth/get-session', answerJson(200, {}));
  const login = await berth.runAlone(['login', '--url', berth.server.url, '--browser']);
  expect([login.code, polls]).toEqual([0, 2]);
  expect(login.stderr).toContain(`Open ${berth.server.url}/device?code=BCDF-GHJK`);
  expect(berth.server.headers.at(-1)?.authorization).toBe('Bearer from-the-browser');

  berth.server.on('GET /v1/user/sessions', answerJson(200, [{ id: 'ses_1', is_current: true, last_used_at: null }]));
  expect((await berth.runAlone(['sessions', 'ls', '--json'])).stdout).toContain('ses_1');
  expect(await berth.runAlone(['sessions', 'end'])).toMatchObject({ code: 2 });

  berth.server.on(
    'POST /v1/auth/device/token',
    answerJson(400, { error: 'access_denied', detail: 'The request was denied.' }),
  );
  const refused = await berth.runAlone(['login', '--url', berth.server.url, '--browser']);
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('The request was denied.')]);
});
