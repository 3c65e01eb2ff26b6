import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { expect, test } from 'vitest';
import { createPortPool } from './port-pool.ts';

async function listen(host: string, port: number): Promise<Server & AsyncDisposable> {
  const server = createServer().listen({ host, port, exclusive: true });
  await once(server, 'listening');
  return server as Server & AsyncDisposable;
}

test('no port twice, until it is released', async () => {
  const pool = createPortPool({ first: 31_000, last: 31_004 });
  const ports = await Promise.all([1, 2, 3, 4, 5].map(() => pool.take()));
  expect(new Set(ports).size).toBe(5);
  await expect(pool.take()).rejects.toMatchObject({ code: 'out_of_capacity' });
  pool.release(ports[2] ?? 0);
  expect(await pool.take()).toBe(ports[2]);
});

test('a released port is the last to be used again', async () => {
  const pool = createPortPool({ first: 31_010, last: 31_013 });
  const first = await pool.take();
  pool.release(first);
  const next = [await pool.take(), await pool.take(), await pool.take()];
  expect(next).not.toContain(first);
});

test('the order cannot be guessed', async () => {
  // Fails when ports are given out in turn: two pools of 40 agree once in 40! runs.
  const order = async () => {
    const pool = createPortPool({ first: 31_030, last: 31_069 });
    return Promise.all(Array.from({ length: 40 }, () => pool.take()));
  };
  expect(await order()).not.toEqual(await order());
  expect((await order()).slice(1).every((port, index, all) => index === 0 || port > (all[index - 1] ?? 0))).toBe(false);
});

test.each(['127.0.0.1', '0.0.0.0'])('a port that something listens on at %s is passed over', async (host) => {
  await using _ = await listen(host, 31_020);
  const pool = createPortPool({ first: 31_020, last: 31_021 });
  expect(await pool.take()).toBe(31_021);
  await expect(pool.take()).rejects.toMatchObject({ code: 'out_of_capacity' });
});
