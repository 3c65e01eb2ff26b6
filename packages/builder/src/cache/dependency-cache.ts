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

/** Options of {@link createDependencyCache}. */
export interface DependencyCacheOptions {
  readonly cacheFolder: string;
  readonly sandbox: CommandSandbox;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The identity of a project's dependencies in the cache. */
export interface CachedDependencies {
  readonly owner: Owner;
  /** As returned by `computeDependencyKey`. */
  readonly key: string;
  /** Absolute path of the project. */
  readonly projectFolder: string;
}

export type DependencyCache = ReturnType<typeof createDependencyCache>;

/** Creates a cache in `cacheFolder`, one subfolder per owner. */
export function createDependencyCache(options: DependencyCacheOptions) {
  const { cacheFolder, sandbox, clock, logger } = options;
  const ids = createIdSource(() => clock.nowMs());
  const entryFolder = ({ owner, key }: CachedDependencies) =>
    join(createCachePlace(cacheFolder, owner).dependencies, key);

  /** Reports whether the owner's programs run as another user than the server. The home folder belongs to that user. */
  const isOtherUser = async (owner: Owner) => {
    const found = await lstat(createCachePlace(cacheFolder, owner).home).catch(() => undefined);
    return found !== undefined && found.uid !== process.geteuid?.();
  };

  /** Removes an entry. */
  const drop = (dependencies: CachedDependencies) => removeTree(entryFolder(dependencies));

  return {
    drop,
    /**
     * Copies cached folders into the project, which must not contain them. Returns false, with nothing copied, on a cache
     * miss. `isWritten`: commands will write to the folders.
     */
    async restore(dependencies: CachedDependencies, { isWritten }: { readonly isWritten: boolean }): Promise<boolean> {
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
    /** Caches folders of a sealed project. Never throws: a cache failure doesn't fail the build. */
    async save(dependencies: CachedDependencies, folders: readonly string[]): Promise<void> {
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
          // Copies belong to the server and may lack the permissions that sealing grants the owner's user.
          if (!asLinks) await sandbox.seal(join(temporary, String(index)), owner);
        }
        await writeCacheEntry(temporary, { folders: [...folders], projectFolder, sizeBytes });
        await touchCacheEntry(temporary, clock.nowMs());
        await removeTree(entryFolder(dependencies));
        await rename(temporary, entryFolder(dependencies));
      } catch (error) {
        logger.warn({ ...owner, error: describeError(error) }, 'dependencies could not be cached');
        await removeTree(temporary);
      }
    },
  };
}
