import { type FileHandle, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';

/** Maximum size of a script. Larger files are programs. */
const SCRIPT_BYTES = 65_536;
const SCRIPT_FOLDERS = ['bin', '.bin'];

/**
 * Rewrites the old path of a moved project in installed files. pip, uv and pnpm write the project's absolute path into
 * the first lines of scripts, and editable installs into files that Python reads at startup. Files are replaced, not
 * modified, because they may have hard links elsewhere. Idempotent for any pair of paths.
 * @param folder The project or a part of it; nothing else may write to it. Links are not followed.
 */
export async function relocateScripts(folder: string, oldProject: string, newProject: string): Promise<void> {
  // Files are read byte for byte, and paths are UTF-8. The new path is matched first, so occurrences of it stay as they
  // are.
  const bytesOf = (project: string) => Buffer.from(project).toString('latin1');
  const either = [newProject, oldProject].map((project) => escapePattern(bytesOf(project))).join('|');
  const pattern = new RegExp(`(?:${either})(?![\\w.-])`, 'g');
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      // npm packages don't contain their location, and there are thousands of them.
      const isPackage = basename(folder) === 'node_modules' && entry.name !== '.bin';
      if (!isPackage) await relocateScripts(path, oldProject, newProject);
    } else if (entry.isFile() && namesItsPlace(folder, entry.name)) {
      const { size, mode } = await stat(path);
      if (size > SCRIPT_BYTES) continue;
      const text = await readFile(path, 'latin1');
      const moved = text.replaceAll(pattern, bytesOf(newProject));
      if (moved !== text) await replaceFile(path, moved, mode);
    }
  }
}

/**
 * Reports whether a file may contain the project's path. Source: PEP 405 (pyvenv.cfg), PEP 610 (direct_url.json), PEP
 * 660 and setuptools' `__editable__` finders, site(3) (*.pth).
 */
function namesItsPlace(folder: string, name: string): boolean {
  return (
    SCRIPT_FOLDERS.includes(basename(folder)) ||
    name === 'pyvenv.cfg' ||
    name === 'direct_url.json' ||
    name.endsWith('.pth') ||
    name.startsWith('__editable__')
  );
}

function escapePattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

async function replaceFile(path: string, text: string, mode: number): Promise<void> {
  const temporary = `${path}.berth-moved`;
  await rm(temporary, { force: true });
  await using file: FileHandle = await open(temporary, 'wx', mode);
  await file.writeFile(text, 'latin1');
  await rename(temporary, path);
}
