import { chmod, mkdir } from 'node:fs/promises';

/**
 * Makes `folder` with exactly `mode`, whatever the umask is; one that is there stays as it is.
 * Answers whether it was made. Its parent must exist unless `isRecursive`.
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
