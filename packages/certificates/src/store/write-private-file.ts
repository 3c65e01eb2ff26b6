import { randomBytes } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import path from 'node:path';

/**
 * Writes a file that only this user can read (0600), atomically. When this resolves, the new content is on disk; if
 * this rejects, the old file is unchanged.
 */
export async function writePrivateFile(file: string, text: string): Promise<void> {
  const temporary = `${file}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    const handle = await open(temporary, 'wx', 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  const folder = await open(path.dirname(file), 'r');
  try {
    // The rename must survive a power cut too.
    await folder.sync();
  } finally {
    await folder.close();
  }
}
