/** Consecutive user ids; the group ids of the same numbers belong to it. */
export interface IdRange {
  readonly first: number;
  readonly count: number;
}

/** Ids a server takes for its services. */
const BLOCK = 65_536;
/** Above the ids of people (from 1,000) and of systemd's dynamic users (61,184–65,519; systemd.io/UIDS-GIDS). */
const FIRST = 200_000;
const BLOCKS = 4_096;
/** Where only 65,536 ids exist (a container with its own user namespace): above people, below systemd's dynamic users. */
const SMALL: IdRange = { first: 20_000, count: 40_000 };

/** Reads `/proc/self/uid_map` (user_namespaces(7)): which ids exist in here. */
export function parseIdMap(text: string): IdRange[] {
  return text
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .filter((fields) => fields.length === 3 && fields.every(Number.isSafeInteger))
    .map(([first = 0, , count = 0]) => ({ first, count }));
}

/** Reads `/etc/subuid` (subuid(5)): ids that containers of this machine's people may be using. */
export function parseSubordinateIds(text: string): IdRange[] {
  return text
    .split('\n')
    .map((line) => line.split(':').slice(1).map(Number))
    .filter((fields) => fields.length === 2 && fields.every((field) => Number.isSafeInteger(field) && field > 0))
    .map(([first = 0, count = 0]) => ({ first, count }));
}

/**
 * A block of ids that exists in here and that nobody else uses; undefined when there is none. Which block is tried first
 * follows from `seed`, so that two servers of one machine hardly ever meet.
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

function holds(outer: IdRange, inner: IdRange): boolean {
  return outer.first <= inner.first && inner.first + inner.count <= outer.first + outer.count;
}

function overlaps(one: IdRange, other: IdRange): boolean {
  return one.first < other.first + other.count && other.first < one.first + one.count;
}
