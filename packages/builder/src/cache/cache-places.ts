import { join } from 'node:path';
import type { Owner } from '@berth/runtime';
import { safeSegment } from '../files/safe-segment.ts';

/** The cache folders of one owner. */
export interface CachePlace {
  /** The folder that contains all caches of the owner. */
  readonly folder: string;
  /** Home folder of the owner's builds, with the package managers' caches. Writable by the owner's user. */
  readonly home: string;
  /** Installed dependencies, one folder per entry. Owned by the server. */
  readonly dependencies: string;
}

/**
 * Returns the cache folders of `owner` below `cacheFolder`. @throws Error if the owner's names aren't safe folder
 * names.
 */
export function createCachePlace(cacheFolder: string, owner: Owner): CachePlace {
  const folder = join(cacheFolder, safeSegment(owner.account), safeSegment(owner.deployment));
  return { folder, home: join(folder, 'home'), dependencies: join(folder, 'dependencies') };
}
