import { join } from 'node:path';
import type { Owner } from '@berth/runtime';
import { safeSegment } from '../files/safe-segment.ts';

/** Where one owner's caches lie. */
export interface CachePlace {
  /** Everything of the owner. */
  readonly folder: string;
  /** Home folder of its builds: the package managers' caches. The owner's user may write to it. */
  readonly home: string;
  /** Installed dependencies, one folder each. The server's own. */
  readonly dependencies: string;
}

export function createCachePlace(cacheFolder: string, owner: Owner): CachePlace {
  const folder = join(cacheFolder, safeSegment(owner.account), safeSegment(owner.deployment));
  return { folder, home: join(folder, 'home'), dependencies: join(folder, 'dependencies') };
}
