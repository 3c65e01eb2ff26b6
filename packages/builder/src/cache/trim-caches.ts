import { readdir, rename, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { DiskMeter } from '@berth/kit/node';
import type { CommandSandbox, Owner } from '@berth/runtime';
import { removeTree } from '../files/remove-tree.ts';
import { lastUseMs, readCacheEntry } from './cache-entry.ts';
import { createCachePlace } from './cache-places.ts';
import { readHomeUse } from './home-use.ts';

export interface TrimCachesOptions {
  readonly cacheFolder: string;
  /** Asked before each removal; `leftBytes` is the size of the caches that are left. */
  isEnough(leftBytes: number): boolean | Promise<boolean>;
  /** One home folder may not pass this. */
  readonly homeBytes: number;
  readonly sandbox: CommandSandbox;
  /**
   * Runs `work` while no build of the account (of its deployment, when one is named) begins; false, and nothing was run, when one
   * runs already: its caches stay.
   */
  whenIdle(owner: Pick<Owner, 'account'> & Partial<Owner>, work: () => Promise<void>): Promise<boolean>;
  /** Measures what is removed. */
  readonly meter?: DiskMeter | undefined;
  /** Removes nothing; `meter` has what would be. */
  readonly isDryRun?: boolean | undefined;
}

export interface TrimmedCaches {
  /** Size of the caches that are left. */
  readonly leftBytes: number;
  /** Caches that were removed. */
  readonly count: number;
}

interface Item {
  readonly owner: Owner;
  readonly path: string;
  readonly sizeBytes: number;
  /** 0: a leftover of a crash or too large by itself, to be removed whatever the rest is. */
  readonly usedAtMs: number;
}

/** What is being removed is called so first, next to where it was: nobody finds it any more. */
const TRASH = '.trash-';

/** Removes what was used longest ago until it is enough, and leftovers of crashes. Not two at a time. */
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
      // A build that starts after this makes itself a new one.
      if (!isDryRun && path !== trash) await rename(path, trash);
    });
    if (!isTaken) continue;
    leftBytes -= sizeBytes;
    count++;
    await meter?.add(isDryRun ? path : trash);
    if (isDryRun) continue;
    // A home folder is its tenant's until then, who could swap a folder for a link while it is being removed.
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

/** Innermost first; `folder` also holds the note of its home's size, which says nothing without the home. */
async function removeEmpty(folders: readonly string[], folder: string): Promise<void> {
  const names = await namesIn(folder);
  if (!names.includes('home')) await rm(join(folder, 'home.json'), { force: true });
  for (const each of folders) await rmdir(each).catch(() => {});
}

const namesIn = (folder: string) => readdir(folder).catch((): string[] => []);
