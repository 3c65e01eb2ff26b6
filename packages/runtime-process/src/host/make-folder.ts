import { chmod, mkdir } from 'node:fs/promises';

/** Makes a folder, and those above it, with just this mode, whatever the umask. */
export async function makeFolder(path: string, mode: number): Promise<void> {
  await mkdir(path, { recursive: true, mode });
  await chmod(path, mode);
}
