import { answerJson } from '@berth/client/testing';
import { expect, test } from 'vitest';
import { useBerth } from '../../testing/use-berth.ts';

const berth = useBerth();

test('people are invited, listed, changed and removed', async () => {
  const { server, run } = berth;
  const ada = { user_id: 'usr_1', name: 'Ada', email: 'ada@b.c', role: 'admin', joined_at: '', is_you: true };
  let sent: unknown;
  server.on('GET /v1/user/members', answerJson(200, [ada]));
  server.on('POST /v1/user/invites', async (exchange) => {
    sent = await exchange.json();
    await answerJson(200, { id: 'inv_1', role: 'admin', link: 'http://localhost/join#secret' })(exchange);
  });
  server.on('POST /v1/user/members', answerJson(200, { ...ada, role: 'owner' }));
  server.on('DELETE /v1/user/members', answerJson(409, { detail: 'This is the last owner of the account.' }));
  server.on('GET /v1/user/invites', answerJson(200, [{ id: 'inv_1', role: 'admin', email: null, expires_at: 'soon' }]));
  expect((await run(['members', 'ls'])).stdout).toContain('Ada (you)');
  // The link alone is on standard output, for scripts.
  const invited = await run(['members', 'invite', '--role', 'admin', '--email', 'ada@b.c']);
  expect([invited.stdout, sent]).toEqual(['http://localhost/join#secret\n', { role: 'admin', email: 'ada@b.c' }]);
  expect((await run(['members', 'invites'])).stdout).toContain('anybody');
  expect((await run(['members', 'role', 'usr_1', 'owner'])).stdout).toBe('Ada is owner now.\n');
  let person: unknown;
  server.on('POST /v1/user/members/reset-password', async (exchange) => {
    person = await exchange.json();
    await answerJson(200, { email: 'ada@b.c', link: 'http://localhost/reset-password#secret' })(exchange);
  });
  const reset = await run(['members', 'reset-password', 'ada@b.c']);
  expect([reset.stdout, person]).toEqual(['http://localhost/reset-password#secret\n', { user: 'ada@b.c' }]);
  const removed = await run(['members', 'rm', 'usr_1', '-y']);
  expect([removed.code, removed.stderr]).toEqual([1, expect.stringContaining('the last owner')]);
  expect(server.requests.at(-1)).toBe('DELETE /v1/user/members?user_id=usr_1');
});

test('mail of the server is listed and tested, and the exit code tells that some was given up', async () => {
  const { server, run } = berth;
  const mail = { kind: 'invite', to: 'ada@b.c', attempts: 12, created_at: '2026-01-01T00:00:00Z' };
  const mails = [{ ...mail, state: 'dead', last_error: '550 no such user' }];
  server.on(
    'GET /v1/admin/mail',
    answerJson(200, { is_configured: true, counts: { queued: 0, sent: 3, dead: 1 }, mails }),
  );
  const listed = await run(['admin', 'mail', 'ls']);
  expect([listed.code, listed.stdout]).toEqual([1, expect.stringContaining('550 no such user')]);
  server.on('POST /v1/admin/mail/test', answerJson(409, { detail: "The mail server didn't accept the mail: 535 no" }));
  const tested = await run(['admin', 'mail', 'test', 'me@b.c']);
  expect([tested.code, tested.stderr]).toEqual([1, expect.stringContaining('535 no')]);
  server.on('POST /v1/user/email', answerJson(200, { detail: 'Open the link.' }));
  expect((await run(['email', 'ada@new.example'])).stdout).toBe('Open the link.\n');
});
