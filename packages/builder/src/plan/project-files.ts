import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createError } from '@berth/contract';
import { errorCode } from '../files/disk-error.ts';

/** Maximum size of a file that detection reads, in bytes. The largest are lock files of a few MiB. */
const TEXT_BYTES = 16 * 2 ** 20;

/** The source tree for detection. Paths are relative; `.` is the root. */
export interface ProjectFiles {
  kindOf(path: string): Promise<'file' | 'folder' | undefined>;
  /**
   * Returns the text of a file; undefined if there is none or it is over `skipOverBytes`.
   * @throws BerthError `build_failed` if it is over 16 MiB.
   */
  readText(path: string, options?: { readonly skipOverBytes?: number }): Promise<string | undefined>;
  /** Returns the SHA-256 of a file in lower-case hex; undefined if there is none. */
  digest(path: string): Promise<string | undefined>;
  /** Returns the sorted names in a folder; a folder's name ends in `/`. Empty if there is no such folder. */
  list(folder: string): Promise<readonly string[]>;
}

/** Creates project files for a folder on disk. Follows links, so the links of the tree must have been checked. */
export function createFolderFiles(root: string): ProjectFiles {
  const find = (path: string) =>
    stat(join(root, path)).catch((error: unknown) => {
      if (['ENOENT', 'ENOTDIR', 'ELOOP'].includes(errorCode(error) ?? '')) return undefined;
      throw error;
    });
  return {
    async kindOf(path) {
      const found = await find(path);
      if (found?.isFile()) return 'file';
      return found?.isDirectory() ? 'folder' : undefined;
    },
    async readText(path, { skipOverBytes = Number.POSITIVE_INFINITY } = {}) {
      const found = await find(path);
      if (!found?.isFile() || found.size > skipOverBytes) return undefined;
      if (found.size > TEXT_BYTES) throw createError('build_failed', `${path} is over ${TEXT_BYTES} bytes.`);
      return readFile(join(root, path), 'utf8');
    },
    async digest(path) {
      if (!(await find(path))?.isFile()) return undefined;
      const hash = createHash('sha256');
      await pipeline(createReadStream(join(root, path)), hash);
      return hash.digest('hex');
    },
    async list(folder) {
      const found = await find(folder);
      if (!found?.isDirectory()) return [];
      const entries = await readdir(join(root, folder), { withFileTypes: true });
      return entries.map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name)).sort();
    },
  };
}

/** Returns the first of `paths` that is a file; undefined if none is. */
export async function findFile(files: ProjectFiles, paths: readonly string[]): Promise<string | undefined> {
  return (await filterFiles(files, paths)).at(0);
}

/** Returns those of `paths` that are files, in their order. */
export async function filterFiles(files: ProjectFiles, paths: readonly string[]): Promise<string[]> {
  const kinds = await Promise.all(paths.map((path) => files.kindOf(path)));
  return paths.filter((_, index) => kinds[index] === 'file');
}
