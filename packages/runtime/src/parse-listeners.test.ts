import { expect, test } from 'vitest';
import { parseListeners } from './parse-listeners.ts';

const row = (address: string, state: string, inode: string): string =>
  `   0: ${address} 00000000:0000 ${state} 00000000:00000000 00:00000000 00000000     0        0 ${inode} 1 0 100 0 0 10 0`;

test('only sockets that listen, with their inodes', () => {
  const table = [
    '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode',
    row('0100007F:1F90', '0A', '111'),
    row('0100007F:1F91', '01', '222'),
    row('00000000000000000000000000000000:0050', '0A', '333'),
    '',
  ].join('\n');
  expect(parseListeners(table)).toEqual([
    { inode: '111', port: 8080, address: '127.0.0.1', isLoopback: true },
    { inode: '333', port: 80, address: '0'.repeat(32), isLoopback: false },
  ]);
  expect(parseListeners('')).toEqual([]);
});

test.each([
  ['00000000', false],
  ['0B00007F', true],
  ['0205D50A', false],
  ['00000000000000000000000001000000', true],
  ['0000000000000000FFFF00000100007F', true],
  ['0000000000000000FFFF00000205D50A', false],
])('%s is only for the machine itself: %s', (address, isLoopback) => {
  expect(parseListeners(row(`${address}:1F90`, '0A', '1'))).toMatchObject([{ isLoopback }]);
});
