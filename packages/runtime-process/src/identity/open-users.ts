import { readFile } from 'node:fs/promises';
import { createError } from '@berth/contract';
import { chooseIdRange, type IdRange, parseIdMap, parseSubordinateIds } from './id-range.ts';
import { type IdentityStore, openIdentityStore } from './identity-store.ts';

export interface OpenUsersOptions {
  /** Where it is written which owner has which user. */
  readonly file: string;
  /** Names this server, in hexadecimal: two servers of a machine begin with different ids. */
  readonly serverHash: string;
  /** Ids that a server without ids of its own keeps away from. */
  readonly taken: readonly IdRange[];
}

/**
 * The users of a server that is root.
 * @throws BerthError `unavailable` when there are no other users in here: tenants' programs never run as root.
 */
export async function openUsers({ file, serverHash, taken }: OpenUsersOptions): Promise<IdentityStore> {
  const [uids, gids, subuids] = await Promise.all(
    ['/proc/self/uid_map', '/proc/self/gid_map', '/etc/subuid'].map((path) => readFile(path, 'utf8').catch(() => '')),
  );
  const seed = Number.parseInt(serverHash.slice(0, 8), 16);
  const range = chooseIdRange(
    intersect(existing(uids), existing(gids)),
    [...parseSubordinateIds(subuids ?? ''), ...taken],
    seed,
  );
  if (!range) {
    throw createError(
      'unavailable',
      'Berth runs as root in a container that has no other user ids, and it never runs a service as root. Run it as an ordinary user, or give the container more ids.',
    );
  }
  return openIdentityStore(file, range);
}

/** A system without the map (not Linux) has them all. */
function existing(map: string | undefined): IdRange[] {
  const ranges = parseIdMap(map ?? '');
  return ranges.length > 0 ? ranges : [{ first: 0, count: 2 ** 31 - 1 }];
}

function intersect(one: readonly IdRange[], other: readonly IdRange[]): IdRange[] {
  return one.flatMap((a) =>
    other.flatMap((b) => {
      const first = Math.max(a.first, b.first);
      const end = Math.min(a.first + a.count, b.first + b.count);
      return end > first ? [{ first, count: end - first }] : [];
    }),
  );
}
