import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { type OpenFile, openFile, type WorkspacePath } from '@berth/agent-core';
import { createError } from '@berth/contract';
import type { Clock } from '@berth/kit';
import { isAbsence, openFolder } from '@berth/kit/node';
import type { WorkspaceFiles } from '../files/workspace-files.ts';
import { ownerFolderName } from '../files/workspace-folder.ts';
import type { ShareHome } from './share-home.ts';

/** Bounds of one share. */
const MAX_FILES = 500;
const MAX_BYTES = 1024 ** 3;
/** A folder without a share that was not touched for so long is left of a process that was killed. */
const ABANDONED_MS = 3_600_000;

/** The files of shares as they were when they were shared. */
export interface FrozenFiles {
  /**
   * Copies those of `paths` that are there, durably, and only then answers: their paths, in the order of their numbers.
   * @throws `payload_too_large` when they are too many, or too large together; `insufficient_storage`
   */
  freeze(home: ShareHome, id: string, paths: readonly WorkspacePath[]): Promise<readonly WorkspacePath[]>;
  /** The copy of that number, as the file `path` that it was made of; undefined when it is gone. */
  open(home: ShareHome, id: string, number: number, path: WorkspacePath): Promise<OpenFile | undefined>;
  /** Twice does nothing more. */
  remove(home: ShareHome, id: string): Promise<void>;
  /** Removes what is of none of `ids`: left of shares that a crash cut short, or that ended. */
  sweep(home: ShareHome, ids: ReadonlySet<string>): Promise<void>;
}

/** Frozen files under `<data folder>/.shares`: outside of the workspaces, so that no tool that works in one reaches them. */
export function createFrozenFiles(dataFolder: string, files: WorkspaceFiles, clock: Clock): FrozenFiles {
  // Those of a team lie in a folder of the team's, to go with it.
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
    const opened = await files.open(home.files, source);
    if (!opened) return undefined;
    await using file = opened;
    if (file.entry.size > roomBytes) {
      throw createError(
        'payload_too_large',
        `The files of a share are at most ${MAX_BYTES / 1024 ** 3} GiB together: share with "live": true, which copies nothing.`,
      );
    }
    await using staged = await files.stage(file.read(), { maxBytes: file.entry.size });
    await rename(staged.file, target);
    return file.entry.size;
  };

  return {
    async open(home, id, number, name) {
      const opened = await openFolder(path.join(folderOf(home), id));
      if (!opened) return undefined;
      await using folder = opened;
      // Awaited here: the folder is closed when this returns.
      return await openFile({ folder, name: String(number) }, name);
    },
    async freeze(home, id, paths) {
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
    remove: (home, id) => rm(path.join(folderOf(home), id), { recursive: true, force: true }),
    async sweep(home, ids) {
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
