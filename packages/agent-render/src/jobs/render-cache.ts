import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type OpenFile, openFile, type WorkspacePath } from '@berth/agent-core';
import type { Clock } from '@berth/kit';
import { openFolder } from '@berth/kit/node';

/** What was rendered, by the content that it was rendered of. Who asks has that content: nobody learns anything of others. */
export interface RenderCache {
  /** As a file of that name; undefined when it was not rendered yet, or is gone. */
  open(key: string, name: WorkspacePath): Promise<OpenFile | undefined>;
  /** Keeps a copy of a file. It is there as a whole or not at all, also after a crash. */
  put(key: string, file: Pick<OpenFile, 'read'>): Promise<void>;
}

export interface RenderCacheOptions {
  /** Absolute; made when it is not there. */
  readonly folder: string;
  readonly clock: Clock;
  /** All of it; the oldest go. */
  readonly maxBytes?: number;
}

const MAX_BYTES = 512 * 2 ** 20;
const PART = '.part';
/** A part that was not written to for so long is of a process that was killed. */
const ABANDONED_MS = 3_600_000;

export function createRenderCache({ folder, clock, maxBytes = MAX_BYTES }: RenderCacheOptions): RenderCache {
  const makeRoom = async () => {
    const found = await Promise.all(
      (await readdir(folder)).map(async (name) => {
        const file = path.join(folder, name);
        // Another instance may have removed it meanwhile.
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
    async open(key, name) {
      const opened = await openFolder(folder);
      if (!opened) return undefined;
      await using found = opened;
      // Awaited here: the folder is closed when this returns.
      return await openFile({ folder: found, name: key }, name);
    },
    async put(key, file) {
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
