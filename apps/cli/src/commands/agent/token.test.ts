import { answerJson } from '@berth/client/testing';
import { expect, test } from 'vitest';
import { useBerth } from '../../testing/use-berth.ts';

const berth = useBerth();

test('token prints the token alone, for the deployment that was named', async () => {
  const bodies: unknown[] = [];
  const made = { token: 'a.b.c', token_type: 'Bearer', expires_at: '2026-11-21T12:10:00.000Z' };
  berth.server.on('POST /v1/user/token', async (exchange) => {
    bodies.push(await exchange.json());
    await answerJson(200, made)(exchange);
  });
  expect(await berth.run(['token', 'my-agent'])).toEqual({ code: 0, stdout: 'a.b.c\n', stderr: '' });
  expect(JSON.parse((await berth.run(['token', 'my-agent', '--json'])).stdout)).toEqual(made);
  expect(bodies).toEqual([{ deployment: 'my-agent' }, { deployment: 'my-agent' }]);
});

const LOCAL = 'http://my-agent.localhost:8787';
const REMOTE = 'https://my-agent.example.com';

// Fails when connectionTo leaves the address as it is: Python and Node don't resolve names below localhost.
test.each(['curl', 'python', 'node'])('token --example %s connects to localhost and names the agent', async (kind) => {
  berth.server.on('GET /v1/deployment/my-agent', answerJson(200, { name: 'my-agent', url: LOCAL }));
  const { code, stdout } = await berth.run(['token', 'my-agent', '--example', kind]);
  expect([code, stdout]).toEqual([0, expect.stringMatching(/http:\/\/localhost:8787\/chat\/completions/)]);
  expect(stdout).toMatch(/Host['"]?: ['"]?my-agent\.localhost:8787/);
  expect(stdout).not.toContain(LOCAL);
});

test('token --example leaves an address that resolves as it is, and refuses kinds there are not', async () => {
  berth.server.on('GET /v1/deployment/my-agent', answerJson(200, { name: 'my-agent', url: REMOTE }));
  const { stdout } = await berth.run(['token', 'my-agent', '--example', 'node', '--json']);
  const { url, example } = JSON.parse(stdout);
  expect(url).toBe(REMOTE);
  expect(example).toContain(`request('${REMOTE}/chat/completions'`);
  expect(example).toContain("from 'node:https'");
  expect(example).not.toContain('Host:');
  expect(await berth.run(['token', 'my-agent', '--example', 'perl'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Available: curl, python, node.'),
  });
});
