import { answerJson } from '@berth/client/testing';
import { expect, test } from 'vitest';
import { useBerth } from '../../testing/use-berth.ts';

const berth = useBerth();

test('providers are listed, and the last way to sign in stays', async () => {
  const { server, run } = berth;
  const identity = {
    id: 'cre_1',
    issuer: 'https://id.acme.example',
    name: 'Acme ID',
    created_at: '2026-01-01T00:00:00Z',
  };
  const identities = [
    { ...identity, provider: 'acme' },
    { ...identity, id: 'cre_2', name: 'old.example', provider: null },
  ];
  server.on('GET /v1/user/identities', answerJson(200, { has_password: false, identities }));
  server.on('DELETE /v1/user/identities', answerJson(409, { detail: 'You could not sign in any more.' }));
  const { stdout } = await run(['identities', 'ls']);
  expect(stdout).toMatch(/cre_1 +Acme ID +https:\/\/id\.acme\.example/);
  expect(stdout).toMatch(/cre_2 .*no longer offered/);
  const removed = await run(['identities', 'rm', 'cre_1', '-y']);
  expect([removed.code, removed.stderr]).toEqual([1, expect.stringContaining('could not sign in')]);
  expect(server.requests.at(-1)).toBe('DELETE /v1/user/identities?id=cre_1');
});
