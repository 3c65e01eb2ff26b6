import { chmod, mkdir } from 'node:fs/promises';

/**
 * Creates `folder` with exactly `mode`, regardless of the umask; an existing folder stays unchanged. Returns whether
 * the folder was created. The parent must exist unless `isRecursive`.
 */
export async function ensureFolder(folder: string, mode: number, isRecursive = false): Promise<boolean> {
  if (isRecursive) {
    if ((await mkdir(folder, { recursive: true, mode })) === undefined) return false;
  } else {
    try {
      await mkdir(folder, mode);
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
      throw error;
    }
  }
  await chmod(folder, mode);
  return true;
}
