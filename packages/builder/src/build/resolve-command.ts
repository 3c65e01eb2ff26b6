import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Command, findShellLine } from '../plan/command.ts';

/** Returns a shell prefix that puts the project's folders before the machine's in PATH. */
const setPath = (folders: readonly string[]) =>
  `PATH="${folders.map((folder) => `$$PWD/${folder}:`).join('')}$$PATH"; export PATH; `;

/** The folders in which a plan's commands find programs, relative to the project. */
export interface ProgramFolders {
  /** As in `Plan`. */
  readonly toolFolders: readonly string[];
  readonly binFolders: readonly string[];
}

/**
 * Returns the argv of a command that finds the programs of the project's dependencies. A plain name becomes its path if
 * a bin folder has a program of that name; a shell command gets the bin folders in its PATH. If the project has its own
 * tools, every command gets them in its PATH, because the interpreter line of a script may name them. Elements remain
 * elements for `expandCommand`.
 */
export async function resolveCommand(
  command: Command,
  folder: string,
  { toolFolders, binFolders }: ProgramFolders,
): Promise<readonly string[]> {
  const folders = [...toolFolders, ...binFolders];
  const line = findShellLine(command);
  if (line !== undefined) {
    return folders.length === 0
      ? command.argv
      : ['/bin/sh', '-c', `${setPath(folders)}exec /bin/sh -c "$$1"`, 'sh', line];
  }
  const argv = [await findOwnProgram(command, folder, folders), ...command.argv.slice(1)];
  if (toolFolders.length === 0) return argv;
  return ['/bin/sh', '-c', `${setPath(toolFolders)}exec "$$@"`, 'sh', ...argv];
}

/**
 * Returns the path of a command's program if one of `folders` has it, otherwise the program's name unchanged. Not for
 * shell commands.
 */
export async function findOwnProgram({ argv }: Command, folder: string, folders: readonly string[]): Promise<string> {
  const [program = ''] = argv;
  if (program.includes('/') || program.includes('$')) return program;
  for (const bin of folders) {
    const found = await lstat(join(folder, bin, program)).catch(() => undefined);
    if (found?.isFile() || found?.isSymbolicLink()) return `./${bin}/${program}`;
  }
  return program;
}
