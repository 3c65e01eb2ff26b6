import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { type OpenFile, openFile, type WorkspacePath } from '@berth/agent-core';
import { createError } from '@berth/contract';
import type { Clock } from '@berth/kit';
import { isAbsence, openFolder } from '@berth/kit/node';
import type { WorkspaceFiles } from '../files/create-workspace-files.ts';
import { ownerFolderName } from '../files/workspace-folder.ts';
import type { ShareHome } from './share-home.ts';

/** Limits of one share. */
const MAX_FILES = 500;
const MAX_BYTES = 1024 ** 3;
/** The age after which a folder without a share is taken for the leftover of a killed process. */
const ABANDONED_MS = 3_600_000;

/**
 * Creates frozen files under `<data folder>/.shares`, outside the workspaces: tools that run in a workspace can't reach
 * them.
 */
export function createFrozenFiles(dataFolder: string, files: WorkspaceFiles, clock: Clock) {
  // The copies of a team's shares are in a folder of the team, so that they are deleted with it.
  const folderOf = ({ owner, files: workspace }: ShareHome) => {
    const keys = owner === workspace ? [owner] : [workspace, owner];
    return path.join(dataFolder, '.shares', ...keys.map(ownerFolderName));
  };

  const copy = async (
    home: ShareHome,
    source: WorkspacePath,
    target: string,
    roomBytes: number,
  ): Promise<number | undefined> => {
    await using file = await files.open(home.files, source);
    if (!file) return undefined;
    if (file.entry.size > roomBytes) {
      throw createError(
        'payload_too_large',
        `The files of a share are at most ${MAX_BYTES / 1024 ** 3} GiB together. Share with "live": true, which copies nothing.`,
      );
    }
    await using staged = await files.stage(file.read(), { maxBytes: file.entry.size });
    await rename(staged.file, target);
    return file.entry.size;
  };

  return {
    /** Opens a copy by its number, described as the file `path` that it was made from; undefined when it doesn't exist. */
    async open(home: ShareHome, id: string, number: number, name: WorkspacePath): Promise<OpenFile | undefined> {
      await using folder = await openFolder(path.join(folderOf(home), id));
      if (!folder) return undefined;
      // `await` keeps the folder open until the file is: `await using` closes it on return.
      return await openFile({ folder, name: String(number) }, name);
    },
    /**
     * Copies the files at `paths` and skips those that don't exist. Resolves once the copies are durable, with the copied
     * paths: a path's index is the number of its copy.
     * @throws `payload_too_large` for more than 500 files or 1 GiB in total; `insufficient_storage`
     */
    async freeze(home: ShareHome, id: string, paths: readonly WorkspacePath[]): Promise<readonly WorkspacePath[]> {
      if (paths.length > MAX_FILES) {
        throw createError('payload_too_large', `A share names at most ${MAX_FILES} files: share with "live": true.`);
      }
      if (paths.length === 0) return [];
      const unfinished = path.join(folderOf(home), `${id}.unfinished`);
      await mkdir(unfinished, { recursive: true, mode: 0o700 });
      try {
        const frozen: WorkspacePath[] = [];
        let bytes = 0;
        for (const source of paths) {
          const size = await copy(home, source, path.join(unfinished, String(frozen.length)), MAX_BYTES - bytes);
          if (size === undefined) continue;
          frozen.push(source);
          bytes += size;
        }
        await sync(unfinished);
        await rename(unfinished, path.join(folderOf(home), id));
        await sync(folderOf(home));
        return frozen;
      } catch (error) {
        await rm(unfinished, { recursive: true, force: true });
        throw error;
      }
    },
    /** Removes all copies of a share. Idempotent. */
    remove: (home: ShareHome, id: string): Promise<void> =>
      rm(path.join(folderOf(home), id), { recursive: true, force: true }),
    /** Removes folders older than an hour that belong to none of `ids`: leftovers of expired shares and of crashes. */
    async sweep(home: ShareHome, ids: ReadonlySet<string>): Promise<void> {
      const names = await readdir(folderOf(home)).catch((error: unknown) => {
        if (isAbsence(error)) return [];
        throw error;
      });
      for (const name of names.filter((one) => !ids.has(one))) {
        const folder = path.join(folderOf(home), name);
        const stats = await stat(folder).catch(() => undefined);
        if (stats && stats.mtimeMs < clock.nowMs() - ABANDONED_MS) await rm(folder, { recursive: true, force: true });
      }
    },
  };
}

async function sync(folder: string): Promise<void> {
  await using handle = await open(folder, 'r');
  await handle.sync();
}
