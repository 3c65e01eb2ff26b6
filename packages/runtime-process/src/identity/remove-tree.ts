import { lstat, readdir, rm, rmdir, unlink } from 'node:fs/promises';
import { platform } from 'node:os';
import { join } from 'node:path';
import { ignoreMissing, inBatches, openFolder } from '@berth/runtime/files';

/**
 * Deletes a tree that a tenant may still be changing. Like `walkTree` it never follows a folder that was swapped for a symlink, which would
 * delete the link's target as root. A folder that gets new entries meanwhile stays. Idempotent.
 */
export async function removeTree(path: string): Promise<void> {
  if (platform() !== 'linux') return rm(path, { recursive: true, force: true });
  const stats = await lstat(path).catch(ignoreMissing);
  if (!stats) return;
  if (!stats.isDirectory()) return void (await unlink(path).catch(ignoreMissing));
  const folder = await openFolder(path);
  if (folder) {
    await using handle = folder;
    const base = `/proc/self/fd/${handle.fd}`;
    const entries = await readdir(base, { withFileTypes: true });
    const files = entries.filter((entry) => !entry.isDirectory());
    await inBatches(files, (entry) => unlink(join(base, entry.name)).catch(ignoreChanged));
    for (const entry of entries) if (entry.isDirectory()) await removeTree(join(base, entry.name));
  }
  await rmdir(path).catch(ignoreChanged);
}

/** For `catch`: ignores entries that have vanished, changed their kind or gained new entries. */
function ignoreChanged(error: NodeJS.ErrnoException): void {
  if (!['ENOENT', 'ENOTEMPTY', 'ENOTDIR', 'EISDIR'].includes(error.code ?? '')) throw error;
}
