import { chmod, mkdir } from 'node:fs/promises';

/** Makes a folder with exactly this mode, whatever the umask, and its missing parents. Sets the mode of an existing folder, too. */
export async function makeFolder(path: string, mode: number): Promise<void> {
  await mkdir(path, { recursive: true, mode });
  await chmod(path, mode);
}
