import { type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** The user that an owner's programs run as, on a server that is root. */
export interface Identity {
  readonly uid: number;
  /** The owner's own group, with the same number as `uid`. */
  readonly gid: number;
  /** The account's group, which owns the volumes that the account's services share. */
  readonly accountGid: number;
}

const READ = 0o4;
const READ_AND_ENTER = 0o5;
const ENTER = 0o1;

/**
 * Returns whether a user may enter every folder above `path` and read it (and execute or list it, if its owner may). Considers only the
 * mode bits, so permissions from access control lists (acl(5)) don't count. `identity` undefined means any other user.
 */
export function canReach(path: string, identity: Identity | undefined): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats) return false;
  return allows(stats, stats.mode & 0o100 ? READ_AND_ENTER : READ, identity) && canEnter(dirname(path), identity);
}

/** Returns whether a user may enter a folder and all its parents. */
export function canEnter(folder: string, identity: Identity | undefined): boolean {
  const stats = statSync(folder, { throwIfNoEntry: false });
  if (!stats?.isDirectory() || !allows(stats, ENTER, identity)) return false;
  const above = dirname(folder);
  return above === folder || canEnter(above, identity);
}

function allows(stats: Stats, wanted: number, identity: Identity | undefined): boolean {
  const isOwner = identity?.uid === stats.uid;
  const isGroup = identity?.gid === stats.gid || identity?.accountGid === stats.gid;
  const shift = isOwner ? 6 : isGroup ? 3 : 0;
  return ((stats.mode >> shift) & wanted) === wanted;
}
