import { type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Identity } from './identity.ts';

const READ = 0o4;
const READ_AND_ENTER = 0o5;
const ENTER = 0o1;

/**
 * Whether a user may enter every folder above `path` and read it (and run or list it, where its owner may). Goes by the
 * mode bits alone, so access lists (acl(5)) count as no access. `identity` undefined stands for any other user.
 */
export function canReach(path: string, identity: Identity | undefined): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats) return false;
  return allows(stats, stats.mode & 0o100 ? READ_AND_ENTER : READ, identity) && canEnter(dirname(path), identity);
}

/** Whether a user may pass through a folder and every one above it. */
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
