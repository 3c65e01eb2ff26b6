import { lstat, mkdir, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Clock, createIdSource, describeError, type Logger } from '@berth/kit';
import type { CommandSandbox, Owner } from '@berth/runtime';
import { copyTree } from '../files/copy-tree.ts';
import { ensureFolder } from '../files/ensure-folder.ts';
import { removeTree } from '../files/remove-tree.ts';
import { readCacheEntry, touchCacheEntry, writeCacheEntry } from './cache-entry.ts';
import { createCachePlace } from './cache-places.ts';
import { relocateScripts } from './relocate-scripts.ts';

export interface DependencyCacheOptions {
  readonly cacheFolder: string;
  readonly sandbox: CommandSandbox;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** One project's dependencies in the cache. */
export interface CachedDependencies {
  readonly owner: Owner;
  /** Of `computeDependencyKey`. */
  readonly key: string;
  /** The project. */
  readonly projectFolder: string;
}

/**
 * Installed dependencies, kept for each owner by what decides them. Invariants:
 * 1. An entry is there whole or not at all: made under another name, renamed when it is done.
 * 2. Only what a build that succeeded left is kept, and only after it was sealed.
 * 3. Trees share files (hard links) only where the owner's programs run as another user than the server, who can't write to them.
 */
export interface DependencyCache {
  /** Puts what is kept into the project, which must not have it; false (and nothing put) when nothing is. `isWritten`: commands will write to it. */
  restore(dependencies: CachedDependencies, options: { readonly isWritten: boolean }): Promise<boolean>;
  /** Keeps folders of a sealed project. Never throws: a build does not fail for its cache. */
  save(dependencies: CachedDependencies, folders: readonly string[]): Promise<void>;
  /** Forgets an entry. */
  drop(dependencies: CachedDependencies): Promise<void>;
}

export function createDependencyCache(options: DependencyCacheOptions): DependencyCache {
  const { cacheFolder, sandbox, clock, logger } = options;
  const ids = createIdSource(() => clock.nowMs());
  const entryFolder = ({ owner, key }: CachedDependencies) =>
    join(createCachePlace(cacheFolder, owner).dependencies, key);

  /** The home folder was given to the owner's user: is that somebody else? */
  const isOtherUser = async (owner: Owner) => {
    const found = await lstat(createCachePlace(cacheFolder, owner).home).catch(() => undefined);
    return found !== undefined && found.uid !== process.geteuid?.();
  };

  const drop = (dependencies: CachedDependencies) => removeTree(entryFolder(dependencies));

  return {
    drop,
    async restore(dependencies, { isWritten }) {
      const folder = entryFolder(dependencies);
      const entry = await readCacheEntry(folder);
      if (entry === undefined) return false;
      const { owner, projectFolder } = dependencies;
      try {
        const asLinks = !isWritten && (await isOtherUser(owner));
        for (const [index, name] of entry.folders.entries()) {
          await mkdir(dirname(join(projectFolder, name)), { recursive: true });
          await copyTree(join(folder, String(index)), join(projectFolder, name), { asLinks });
          await relocateScripts(join(projectFolder, name), entry.projectFolder, projectFolder);
        }
        await touchCacheEntry(folder, clock.nowMs());
        return true;
      } catch (error) {
        logger.warn({ ...owner, error: describeError(error) }, 'cached dependencies could not be used');
        for (const name of entry.folders) await removeTree(join(projectFolder, name));
        await drop(dependencies);
        return false;
      }
    },
    async save(dependencies, folders) {
      const { owner, projectFolder } = dependencies;
      const place = createCachePlace(cacheFolder, owner);
      const temporary = join(place.dependencies, `.tmp-${ids.next('entry')}`);
      try {
        await ensureFolder(place.dependencies, 0o700);
        await ensureFolder(temporary, 0o700);
        const asLinks = await isOtherUser(owner);
        let sizeBytes = 0;
        for (const [index, name] of folders.entries()) {
          sizeBytes += await copyTree(join(projectFolder, name), join(temporary, String(index)), { asLinks });
          // What was copied is the server's and may lack what a sealed tree gives its owner's user.
          if (!asLinks) await sandbox.seal(join(temporary, String(index)), owner);
        }
        await writeCacheEntry(temporary, { folders: [...folders], projectFolder, sizeBytes });
        await touchCacheEntry(temporary, clock.nowMs());
        await removeTree(entryFolder(dependencies));
        await rename(temporary, entryFolder(dependencies));
      } catch (error) {
        logger.warn({ ...owner, error: describeError(error) }, 'dependencies could not be kept');
        await removeTree(temporary);
      }
    },
  };
}
