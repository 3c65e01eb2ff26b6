import { randomBytes } from 'node:crypto';
import { open, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** Makes a folder's entries durable: once this resolves, a rename into the folder survives a power cut. */
export async function syncFolder(folder: string): Promise<void> {
  await using handle = await open(folder, 'r');
  await handle.sync();
}

/**
 * Writes or replaces a file that only this user can read (0600), atomically. When this resolves, the new content is on
 * disk; if this rejects, the old file is unchanged.
 */
export async function writePrivateFile(file: string, content: string | Iterable<Uint8Array>): Promise<void> {
  const temporary = `${file}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    await writeFile(temporary, content, { flag: 'wx', mode: 0o600, flush: true });
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncFolder(path.dirname(file));
}
