import { once } from 'node:events';
import { createServer } from 'node:net';
import { portsOf } from '@berth/runtime';
import { expect, test } from 'vitest';
import { findListeners } from './listening-ports.ts';

test.skipIf(process.platform !== 'linux')('finds those of a process', async () => {
  await using four = createServer().listen(0, '127.0.0.1');
  await once(four, 'listening');
  const { port } = four.address() as { port: number };
  expect(portsOf(findListeners([2 ** 22 + 1, process.pid]))).toContain(port);
  expect(findListeners([])).toEqual([]);
});
