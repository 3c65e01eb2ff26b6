import { createError } from '@berth/contract';
import { readIfThere } from '@berth/runtime/files';
import { chooseIdRange, holds, type IdRange, parseIdMap, parseSubordinateIds, SHARED_GROUP_RANGE } from './id-range.ts';
import { type IdentityStore, openIdentityStore } from './identity-store.ts';
import { openSharedGroups } from './shared-groups.ts';

/**
 * Opens the identity store of a server that is root, with a range of unused ids if it is new.
 * @param serverHash Id of this server in hexadecimal, which decides where the search for a range starts.
 * @param taken Ranges of other servers, which a server without a range must avoid.
 * @param groupFolder Where several servers agree on the groups of accounts; undefined when this server is the only one.
 * @throws BerthError `unavailable` when this user namespace has no other users: tenants' programs never run as root.
 */
export async function openUsers(
  file: string,
  serverHash: string,
  taken: readonly IdRange[],
  groupFolder?: string,
): Promise<IdentityStore> {
  const seed = Number.parseInt(serverHash.slice(0, 8), 16);
  const range = chooseIdRange(
    intersect(existing('/proc/self/uid_map'), existing('/proc/self/gid_map')),
    [...parseSubordinateIds(readIfThere('/etc/subuid')), ...taken],
    seed,
  );
  if (!range) {
    throw createError(
      'unavailable',
      'Berth runs as root in a container that has no other user ids, and it never runs a service as root. Run it as an ordinary user, or give the container more ids.',
    );
  }
  if (groupFolder === undefined) return openIdentityStore(file, range);
  if (!existing('/proc/self/gid_map').some((groups) => holds(groups, SHARED_GROUP_RANGE))) {
    throw createError(
      'unavailable',
      `Volumes in a shared folder need the group IDs from ${SHARED_GROUP_RANGE.first} on, which this container doesn't have. Give the container all IDs, or keep volumes in a bucket.`,
    );
  }
  return openIdentityStore(file, range, openSharedGroups(groupFolder));
}

/** Returns the ids that exist: all of them on a system without the map (not Linux). */
function existing(map: string): IdRange[] {
  const ranges = parseIdMap(readIfThere(map));
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

/** Capability → bit, of the capabilities that root needs to run programs as other users. Source: capabilities(7), linux/capability.h. */
const NEEDED = { CAP_CHOWN: 0, CAP_DAC_OVERRIDE: 1, CAP_FOWNER: 3, CAP_KILL: 5, CAP_SETGID: 6, CAP_SETUID: 7 } as const;

/**
 * Returns the names of the needed capabilities that this process lacks, as in containers with `--cap-drop`. Returns none where the
 * system doesn't report capabilities.
 */
export function lackingCapabilities(): string[] {
  const effective = /^CapEff:\s*([0-9a-f]+)$/m.exec(readIfThere('/proc/self/status'))?.[1];
  if (effective === undefined) return [];
  const held = BigInt(`0x${effective}`);
  return Object.entries(NEEDED).flatMap(([name, bit]) => ((held >> BigInt(bit)) & 1n ? [] : [name]));
}
