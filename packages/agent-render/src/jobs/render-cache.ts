import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type OpenFile, openFile, type WorkspacePath } from '@berth/agent-core';
import type { Clock } from '@berth/kit';
import { openFolder } from '@berth/kit/node';

/** Options of {@link createRenderCache}. */
export interface RenderCacheOptions {
  /** Absolute path; created when missing. */
  readonly folder: string;
  readonly clock: Clock;
  /** Maximum size of the cache; the oldest results are removed first. */
  readonly maxBytes?: number;
}

const MAX_BYTES = 512 * 2 ** 20;
const PART = '.part';
/** Age at which a partial file belongs to a killed process. */
const ABANDONED_MS = 3_600_000;

/**
 * Rendered files, keyed by the content that they were rendered from. A caller needs that content to compute the key, so
 * results can be shared between owners.
 */
export type RenderCache = ReturnType<typeof createRenderCache>;

/** Creates a cache in a folder. */
export function createRenderCache({ folder, clock, maxBytes = MAX_BYTES }: RenderCacheOptions) {
  const makeRoom = async () => {
    const found = await Promise.all(
      (await readdir(folder)).map(async (name) => {
        const file = path.join(folder, name);
        // Another instance may have removed the file in the meantime.
        const stats = await stat(file).catch(() => undefined);
        return { file, size: stats?.size ?? 0, atMs: stats?.mtimeMs ?? 0, isPart: name.endsWith(PART) };
      }),
    );
    let bytes = 0;
    for (const { file, size, atMs, isPart } of found.sort((a, b) => b.atMs - a.atMs)) {
      bytes += size;
      if (isPart ? atMs < clock.nowMs() - ABANDONED_MS : bytes > maxBytes) await rm(file, { force: true });
    }
  };
  return {
    /** Opens a result as a file with this name; undefined when it isn't cached. */
    async open(key: string, name: WorkspacePath): Promise<OpenFile | undefined> {
      await using found = await openFolder(folder);
      if (!found) return undefined;
      // Awaited here, since the folder is closed on return.
      return await openFile({ folder: found, name: key }, name);
    },
    /** Stores a copy of a file atomically, even across a crash. */
    async put(key: string, file: Pick<OpenFile, 'read'>): Promise<void> {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const part = path.join(folder, `${randomBytes(16).toString('hex')}${PART}`);
      try {
        await writeFile(part, file.read(), { flag: 'wx', mode: 0o600, flush: true });
        await rename(part, path.join(folder, key));
        await using handle = await open(folder, 'r');
        await handle.sync();
      } finally {
        await rm(part, { force: true });
      }
      await makeRoom();
    },
  };
}
