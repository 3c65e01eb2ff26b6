import { answerJson, createScriptedServer } from '@berth/client/testing';
import { expect, test } from 'vitest';
import { runInProcess } from '../../testing/run-in-process.ts';

const key = { id: 'key_1', name: 'ci', start: 'bk_1', scopes: ['deploy'], last_used_at: null, expires_at: null };

test('a key is made with the scopes and the expiry that are asked for; its secret alone is printed', async () => {
  const bodies: unknown[] = [];
  await using server = await createScriptedServer({
    'POST /v1/user/keys': async (exchange) => {
      bodies.push(await exchange.json());
      await answerJson(201, { ...key, secret: 'bk_secret' })(exchange);
    },
  });
  const made = await runInProcess(server, ['keys', 'create', 'ci', '--scope', 'deploy,logs', '--scope', 'read']);
  expect(made).toMatchObject({ code: 0, stdout: 'bk_secret\n' });
  await runInProcess(server, ['keys', 'create', 'ci', '--expires', '90d']);
  await runInProcess(server, ['keys', 'create', 'ci', '--expires', '2027-01-31T01:00:00+01:00']);
  expect(bodies).toEqual([
    // Fails when a comma doesn't separate scopes.
    { name: 'ci', scopes: ['deploy', 'logs', 'read'] },
    // Fails when the span is taken from now back.
    { name: 'ci', expires_at: '2026-04-01T00:00:00.000Z' },
    { name: 'ci', expires_at: '2027-01-31T00:00:00.000Z' },
  ]);
});

test('an expiry that is no time is refused before anything is made', async () => {
  await using server = await createScriptedServer();
  const { code, stderr } = await runInProcess(server, ['keys', 'create', 'ci', '--expires', 'soon']);
  expect([code, stderr]).toEqual([2, expect.stringContaining('--expires must be a duration such as 90d')]);
  // Fails when the key is made before its expiry is read.
  expect(server.requests).toEqual([]);
});

test('keys are listed without an age that they do not have', async () => {
  await using server = await createScriptedServer({
    'GET /v1/user/keys': answerJson(200, [key, { ...key, id: 'key_2', last_used_at: '2025-12-31T22:00:00Z' }]),
  });
  const { stdout } = await runInProcess(server, ['keys', 'ls']);
  // Fails when `formatAge` makes a date of null.
  expect(stdout.split('\n').map((line) => line.split(/ {2,}/)[4])).toEqual(['LAST USED', 'never', '2h ago', undefined]);
});

test('a key is revoked only after a yes; without a terminal -y is needed', async () => {
  await using server = await createScriptedServer({
    'GET /v1/user/keys': answerJson(200, [key]),
    'DELETE /v1/user/keys': answerJson(200, { detail: 'gone' }),
  });
  const deleted = () => server.requests.filter((request) => request.startsWith('DELETE'));
  const asked: string[] = [];
  const confirm = (answer: boolean) => async (question: string) => {
    asked.push(question);
    return answer;
  };
  expect((await runInProcess(server, ['keys', 'rm', 'key_1'])).code).toBe(2);
  const refused = await runInProcess(server, ['keys', 'rm', 'key_1'], { prompts: { confirm: confirm(false) } });
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('Nothing was changed.')]);
  // Fails when the answer is not obeyed.
  expect(deleted()).toEqual([]);
  await runInProcess(server, ['keys', 'rm', 'key_1', 'key_1'], { prompts: { confirm: confirm(true) } });
  expect(asked).toEqual(['Revoke key_1?', 'Revoke key_1?']);
  // Fails when a name that is given twice is removed twice.
  expect(deleted()).toEqual(['DELETE /v1/user/keys?id=key_1']);
});
