import { lstat, open, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Scripts are a few lines; what is larger is a program. */
const SCRIPT_BYTES = 65_536;

/**
 * Lets the scripts of a virtual environment find its interpreter after it was moved: pip and uv write the absolute path of it into
 * their first lines. Files are replaced, not changed, since they may have a second name elsewhere.
 */
export async function relocateVenv(venv: string, oldProject: string, newProject: string): Promise<void> {
  const bin = join(venv, 'bin');
  // Scripts are read byte for byte; a path in them is UTF-8.
  const bytesOf = (project: string) => Buffer.from(`${project}/`).toString('latin1');
  // A link in its place would lead to files of somebody else.
  const isFolder = (await lstat(bin).catch(() => undefined))?.isDirectory();
  if (!isFolder) return;
  for (const name of await readdir(bin)) {
    const path = join(bin, name);
    const stats = await lstat(path);
    if (!stats.isFile() || stats.size > SCRIPT_BYTES) continue;
    const text = await readFile(path, 'latin1');
    if (!text.includes(bytesOf(oldProject))) continue;
    await rm(path);
    await using file = await open(path, 'wx', stats.mode);
    await file.writeFile(text.replaceAll(bytesOf(oldProject), bytesOf(newProject)), 'latin1');
  }
}
