import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createError } from '@berth/contract';
import { errorCode } from '../files/disk-error.ts';

/** Bytes of a file that detection reads; the largest are lock files, of some MiB. */
const TEXT_BYTES = 16 * 2 ** 20;

/** The source tree as detection sees it. Paths are relative, `.` is its root. */
export interface ProjectFiles {
  kindOf(path: string): Promise<'file' | 'folder' | undefined>;
  /**
   * The text of a file, undefined when there is none, or when it is over `skipOverBytes`.
   * @throws BerthError `build_failed` when it is over 16 MiB.
   */
  readText(path: string, options?: { readonly skipOverBytes?: number }): Promise<string | undefined>;
  /** SHA-256 of a file in lower-case hex, undefined when there is none. */
  digest(path: string): Promise<string | undefined>;
  /** Names in a folder in their order; a folder's name ends in `/`. Empty when there is no such folder. */
  list(folder: string): Promise<readonly string[]>;
}

/** The files of a folder on disk. Follows links, so it is only for trees whose links were checked. */
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
