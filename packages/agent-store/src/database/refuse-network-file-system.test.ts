import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { refuseNetworkFileSystem } from './refuse-network-file-system.ts';

test.each([
  ['NFS', 0x6969],
  ['SMB2', 0xfe534d42],
  // As a machine tells it that takes the number for a signed one.
  ['CIFS', 0xff534d42 | 0],
])('SQLite is not put on %s, and it is said what to do', (name, type) => {
  expect(() => refuseNetworkFileSystem('/data', () => type)).toThrow(
    `/data is on a network file system (${name}), where SQLite loses data. Put BERTH_AGENT_DATA on a local disk, or set DATABASE_URL`,
  );
});

test('a local disk is accepted', () => {
  expect(() => refuseNetworkFileSystem(tmpdir())).not.toThrow();
});
