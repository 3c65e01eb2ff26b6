import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ArchiveTree } from './archive-tree.ts';
import { createArchiveViolation, createEntryViolation } from './archive-violation.ts';

/** Maximum number of links followed for one path, as in the kernel. Source: path_resolution(7), ELOOP. */
const MAX_HOPS = 40;
/**
 * Maximum number of steps over all links: enough for 100,000 links of ten segments, and a bound for chains of chains.
 */
const MAX_STEPS = 1_000_000;
const STEPS_A_TURN = 20_000;

/**
 * Follows every symbolic link as the kernel would, through other links of the archive. `root` is the folder that links
 * must not leave; the whole archive by default.
 * @throws BerthError `archive_invalid` that names a link that leads outside or in a circle.
 */
export async function checkLinks(tree: ArchiveTree, root = ''): Promise<void> {
  const bottom = root === '' ? 0 : root.split('/').length;
  let steps = 0;
  for (const { path, target } of tree.links) {
    const place = path.split('/').slice(0, -1);
    const ahead = target.split('/').reverse();
    let hops = 0;
    for (let segment = ahead.pop(); segment !== undefined; segment = ahead.pop()) {
      if (++steps > MAX_STEPS) throw createArchiveViolation('The archive has too many links to follow.');
      // A hostile chain must not block other requests.
      if (steps % STEPS_A_TURN === 0) await nextTurn();
      if (segment === '' || segment === '.') continue;
      if (segment === '..') {
        if (place.length <= bottom) throw createEntryViolation(path, `is a link to outside the archive (${target})`);
        place.pop();
        continue;
      }
      place.push(segment);
      const next = tree.linkTarget(place.join('/'));
      if (next === undefined) continue;
      if (++hops > MAX_HOPS) throw createEntryViolation(path, `is a circular link (${target})`);
      place.pop();
      ahead.push(...next.split('/').reverse());
    }
  }
}
