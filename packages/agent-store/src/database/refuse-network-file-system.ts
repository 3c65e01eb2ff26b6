import { statfsSync } from 'node:fs';
import { createError } from '@berth/contract';

/**
 * File systems whose locks or shared memory don't work between machines. SQLite's WAL needs both, and would lose data
 * without an error. Source: sqlite.org/wal.html, "All processes using a database must be on the same host computer";
 * the numbers are those of statfs(2) and linux/magic.h.
 */
const NETWORK_FILE_SYSTEMS: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB2'],
  [0x65735546, 'FUSE'],
  [0x01021997, '9P'],
  [0x5346414f, 'AFS'],
  [0x00c36400, 'Ceph'],
  [0x0bd00bd0, 'Lustre'],
  [0x73757245, 'Coda'],
  [0x564c, 'NCP'],
]);

/** Rejects a folder on a network file system. @throws `unavailable` naming the file system. */
export function refuseNetworkFileSystem(
  folder: string,
  typeOf: (folder: string) => number = (one) => statfsSync(one).type,
): void {
  const name = NETWORK_FILE_SYSTEMS.get(typeOf(folder) >>> 0);
  if (name === undefined) return;
  throw createError(
    'unavailable',
    `${folder} is on a network file system (${name}), where SQLite loses data. ` +
      'Put BERTH_AGENT_DATA on a local disk, or set DATABASE_URL to a Postgres database.',
  );
}
