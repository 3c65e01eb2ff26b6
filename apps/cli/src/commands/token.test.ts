import { answerJson } from '@berth/client/testing';
import { expect, test } from 'vitest';
import { useBerth } from '../testing/use-berth.ts';

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
