import { rename, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { DiskMeter } from '@berth/kit/node';
import type { CommandSandbox, Owner } from '@berth/runtime';
import { namesIn } from '../files/artifact-places.ts';
import { removeTree } from '../files/remove-tree.ts';
import { lastUseMs, readCacheEntry } from './cache-entry.ts';
import { createCachePlace } from './cache-places.ts';
import { readHomeUse } from './home-use.ts';

/** Options of {@link trimCaches}. */
export interface TrimCachesOptions {
  readonly cacheFolder: string;
  /** Called before each removal with the size of the remaining caches; true ends the trimming. */
  isEnough(leftBytes: number): boolean | Promise<boolean>;
  /** Maximum size of one home folder. Larger ones are always removed. */
  readonly homeBytes: number;
  readonly sandbox: CommandSandbox;
  /**
   * Runs `work` while no build of the account (or of its deployment, if given) can start. Returns false without running
   * `work` if such a build is running; its caches then stay.
   */
  whenIdle(owner: Pick<Owner, 'account'> & Partial<Owner>, work: () => Promise<void>): Promise<boolean>;
  /** Measures the removed caches. */
  readonly meter?: DiskMeter | undefined;
  /** Removes nothing; `meter` measures what would be removed. */
  readonly isDryRun?: boolean | undefined;
}

/** The result of {@link trimCaches}. */
export interface TrimmedCaches {
  /** Size of the remaining caches. */
  readonly leftBytes: number;
  /** Number of removed caches. */
  readonly count: number;
}

interface Item {
  readonly owner: Owner;
  readonly path: string;
  readonly sizeBytes: number;
  /** Time of the last use. 0 for leftovers of a crash and oversized homes, which are always removed. */
  readonly usedAtMs: number;
}

/** Prefix of folders under removal. They are renamed first, so that no build finds them. */
const TRASH = '.trash-';

/**
 * Removes leftovers of crashes, and the least recently used caches until `isEnough`. Must not run concurrently with
 * itself.
 */
export async function trimCaches(options: TrimCachesOptions): Promise<TrimmedCaches> {
  const { cacheFolder, isEnough, homeBytes, sandbox, whenIdle, meter, isDryRun = false } = options;
  const items = await listItems(cacheFolder, homeBytes);
  items.sort((a, b) => a.usedAtMs - b.usedAtMs);
  let leftBytes = items.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  let count = 0;
  for (const { owner, path, sizeBytes, usedAtMs } of items) {
    if (usedAtMs > 0 && (await isEnough(leftBytes))) break;
    const { folder, dependencies } = createCachePlace(cacheFolder, owner);
    const trash = join(folder, TRASH + path.slice(folder.length + 1).replaceAll('/', '-'));
    const isTaken = await whenIdle(owner, async () => {
      // A build that starts after the rename creates a new cache.
      if (!isDryRun && path !== trash) await rename(path, trash);
    });
    if (!isTaken) continue;
    leftBytes -= sizeBytes;
    count++;
    await meter?.add(isDryRun ? path : trash);
    if (isDryRun) continue;
    // Until it is sealed, a home folder belongs to its tenant, who could replace a folder with a link during the
    // removal.
    await sandbox.seal(trash, owner);
    await removeTree(trash);
    await whenIdle(owner, () => removeEmpty([dependencies, folder], folder));
    await whenIdle({ account: owner.account }, () => rmdir(dirname(folder)).catch(() => {}));
  }
  return { leftBytes, count };
}

async function listItems(cacheFolder: string, homeBytes: number): Promise<Item[]> {
  const items: Item[] = [];
  for (const account of await namesIn(cacheFolder)) {
    for (const deployment of await namesIn(join(cacheFolder, account))) {
      const owner = { account, deployment };
      const place = createCachePlace(cacheFolder, owner);
      for (const name of await namesIn(place.folder)) {
        if (name.startsWith(TRASH)) items.push({ owner, path: join(place.folder, name), sizeBytes: 0, usedAtMs: 0 });
      }
      for (const name of await namesIn(place.dependencies)) {
        const path = join(place.dependencies, name);
        const entry = name.startsWith('.') ? undefined : await readCacheEntry(path);
        const usedAtMs = entry === undefined ? 0 : await lastUseMs(path);
        items.push({ owner, path, sizeBytes: entry?.sizeBytes ?? 0, usedAtMs });
      }
      const use = await readHomeUse(place);
      if (use === undefined) continue;
      const usedAtMs = use.sizeBytes > homeBytes ? 0 : use.usedAtMs;
      items.push({ owner, path: place.home, sizeBytes: use.sizeBytes, usedAtMs });
    }
  }
  return items;
}

/**
 * Removes empty folders, innermost first. `folder` also holds the recorded size of the home, which is obsolete without
 * the home.
 */
async function removeEmpty(folders: readonly string[], folder: string): Promise<void> {
  const names = await namesIn(folder);
  if (!names.includes('home')) await rm(join(folder, 'home.json'), { force: true });
  for (const each of folders) await rmdir(each).catch(() => {});
}
