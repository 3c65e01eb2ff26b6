/** A range of consecutive user ids, together with the group ids of the same numbers. */
export interface IdRange {
  readonly first: number;
  readonly count: number;
}

/** Number of ids that a server reserves for its services. */
const BLOCK = 65_536;
/** Above the ids of human users (from 1,000) and of systemd's dynamic users (61,184–65,519; systemd.io/UIDS-GIDS). */
const FIRST = 200_000;
const BLOCKS = 4_096;
/** For systems with only 65,536 ids (a container with a user namespace): between human users and systemd's dynamic users. */
const SMALL: IdRange = { first: 20_000, count: 40_000 };

/** Groups of volumes in a folder that several servers share: above the block of any server. */
export const SHARED_GROUP_RANGE: IdRange = { first: FIRST + BLOCKS * BLOCK, count: 2 ** 20 };

/** Parses `/proc/self/uid_map` (user_namespaces(7)) into the ids that exist in this user namespace. */
export function parseIdMap(text: string): IdRange[] {
  return text
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .filter((fields) => fields.length === 3 && fields.every(Number.isSafeInteger))
    .map(([first = 0, , count = 0]) => ({ first, count }));
}

/** Parses `/etc/subuid` (subuid(5)) into the ids that containers of this machine's users may use. */
export function parseSubordinateIds(text: string): IdRange[] {
  return text
    .split('\n')
    .map((line) => line.split(':').slice(1).map(Number))
    .filter((fields) => fields.length === 2 && fields.every((field) => Number.isSafeInteger(field) && field > 0))
    .map(([first = 0, count = 0]) => ({ first, count }));
}

/**
 * Chooses a block of existing ids that isn't taken, or returns undefined when there is none. The search starts at a block that depends on
 * `seed`, so that two servers on one machine rarely choose the same.
 */
export function chooseIdRange(
  existing: readonly IdRange[],
  taken: readonly IdRange[],
  seed: number,
): IdRange | undefined {
  for (let step = 0; step < BLOCKS; step++) {
    const block = { first: FIRST + ((seed + step) % BLOCKS) * BLOCK, count: BLOCK };
    if (existing.some((range) => holds(range, block)) && !taken.some((range) => overlaps(range, block))) return block;
  }
  return existing.some((range) => holds(range, SMALL)) ? SMALL : undefined;
}

export function holds(outer: IdRange, inner: IdRange): boolean {
  return outer.first <= inner.first && inner.first + inner.count <= outer.first + outer.count;
}

function overlaps(one: IdRange, other: IdRange): boolean {
  return one.first < other.first + other.count && other.first < one.first + one.count;
}
