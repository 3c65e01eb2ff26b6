import { answerJson, createScriptedServer, type Exchange } from '@berth/client/testing';
import { expect, test } from 'vitest';
import { runInProcess } from '../../../testing/run-in-process.ts';

/** A server that makes accounts and keeps what it was asked for. */
async function createServer() {
  const bodies: unknown[] = [];
  const made = { account: { id: 'acc_1', name: 'acme' }, key: { secret: 'bk_secret' } };
  const server = await createScriptedServer({
    'POST /v1/admin/accounts': async (exchange: Exchange) => {
      bodies.push(await exchange.json());
      await answerJson(201, made)(exchange);
    },
    'POST /v1/admin/accounts/plan': answerJson(200, { name: 'acme', plan: 'team' }),
  });
  return { server, bodies };
}

test('an account is made with or without a person; the password comes from a question or a pipe', async () => {
  const { server, bodies } = await createServer();
  await using _server = server;
  const create = ['admin', 'account', 'create', 'acme'];
  const person = [...create, '--email', 'ada@acme.test'];
  expect(await runInProcess(server, create)).toMatchObject({ code: 0, stdout: 'bk_secret\n' });
  await runInProcess(server, [...person, '--password-stdin'], { input: 'correct horse battery\r\n' });
  await runInProcess(server, person, { prompts: { secret: async (question) => `${question}!` } });
  expect(bodies).toEqual([
    { name: 'acme' },
    // Fails when the line's end becomes part of the password.
    { name: 'acme', user: { email: 'ada@acme.test', password: 'correct horse battery' } },
    { name: 'acme', user: { email: 'ada@acme.test', password: 'Password of ada@acme.test, 12 characters or more!' } },
  ]);
});

test.each([
  [['--email', 'ada@acme.test'], '--email needs a password. Pipe it in with --password-stdin.'],
  [['--password-stdin'], '--password-stdin requires --email.'],
])('%j is refused before an account is made', async (flags, sentence) => {
  const { server, bodies } = await createServer();
  await using _server = server;
  const { code, stderr } = await runInProcess(server, ['admin', 'account', 'create', 'acme', ...flags]);
  expect([code, stderr]).toEqual([2, expect.stringContaining(sentence)]);
  // Fails when the check comes after the request.
  expect(bodies).toEqual([]);
});

test('a plan is set and said', async () => {
  const { server } = await createServer();
  await using _server = server;
  const { stderr } = await runInProcess(server, ['admin', 'account', 'plan', 'acme', 'team']);
  expect(stderr).toBe('acme is on the plan team.\n');
});
