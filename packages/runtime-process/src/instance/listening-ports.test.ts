import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { findListeningPorts, parseListeners } from './listening-ports.ts';

test('only sockets that listen, with their inodes', () => {
  const table = [
    '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode',
    '   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 111 1 0 100 0 0 10 0',
    '   1: 0100007F:1F91 0100007F:C350 01 00000000:00000000 00:00000000 00000000     0        0 222 1 0 20 4 30 10 -1',
    '   2: 00000000000000000000000000000000:0050 00000000000000000000000000000000:0000 0A 0:0 00:0 0 0 0 333 1 0 100 0 0 10 0',
    '',
  ].join('\n');
  expect(parseListeners(table)).toEqual([
    { inode: '111', port: 8080 },
    { inode: '333', port: 80 },
  ]);
  expect(parseListeners('')).toEqual([]);
});

test.skipIf(process.platform !== 'linux')('finds those of a process', async () => {
  await using four = createServer().listen(0, '127.0.0.1');
  await once(four, 'listening');
  const { port } = four.address() as { port: number };
  expect(findListeningPorts([process.pid, 2 ** 22 + 1])).toContain(port);
  expect(findListeningPorts([])).toEqual([]);
});
