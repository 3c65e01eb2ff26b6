import { type FileHandle, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';

/** Scripts are a few lines; what is larger is a program. */
const SCRIPT_BYTES = 65_536;
const SCRIPT_FOLDERS = ['bin', '.bin'];

/**
 * Lets what installers wrote find its project after that was moved: pip, uv and pnpm put the project's absolute path into the first
 * lines of scripts, editable installs into files that Python reads at its start. Files are replaced, not changed, since they may have
 * a second name elsewhere. A second run changes nothing, whatever the paths are.
 * @param folder The project or a part of it, which nobody writes to now. No link in it is followed.
 */
export async function relocateScripts(folder: string, oldProject: string, newProject: string): Promise<void> {
  // Read byte for byte; a path is UTF-8. What names the new project already is matched first, and stays.
  const bytesOf = (project: string) => Buffer.from(project).toString('latin1');
  const either = [newProject, oldProject].map((project) => escapePattern(bytesOf(project))).join('|');
  const pattern = new RegExp(`(?:${either})(?![\\w.-])`, 'g');
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      // Packages of npm don't know where they are; there are thousands of them.
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

/** Source: PEP 405 (pyvenv.cfg), PEP 610 (direct_url.json), PEP 660 and setuptools' `__editable__` finders, site(3) (*.pth). */
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
