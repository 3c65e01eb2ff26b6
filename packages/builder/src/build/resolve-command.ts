import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Command, findShellLine } from '../plan/command.ts';

/** Puts the project's own programs before the machine's. */
const setPath = (folders: readonly string[]) =>
  `PATH="${folders.map((folder) => `$$PWD/${folder}:`).join('')}$$PATH"; export PATH; `;

/** The folders in which a plan's commands find programs. */
export interface ProgramFolders {
  /** Of `Plan`. */
  readonly toolFolders: readonly string[];
  readonly binFolders: readonly string[];
}

/**
 * The argv by which a command finds the programs that the project's dependencies brought: a plain name becomes its path
 * in a bin folder when there is one of that name, and a shell gets the bin folders in its PATH. Where the project has tools of its
 * own, every command is started with them in its PATH: a script's first line may name them. Elements stay elements for `expandCommand`.
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

/** The program of a command that is no shell's: its path in one of these folders of the project, or the name it has. */
export async function findOwnProgram({ argv }: Command, folder: string, folders: readonly string[]): Promise<string> {
  const [program = ''] = argv;
  if (program.includes('/') || program.includes('$')) return program;
  for (const bin of folders) {
    const found = await lstat(join(folder, bin, program)).catch(() => undefined);
    if (found?.isFile() || found?.isSymbolicLink()) return `./${bin}/${program}`;
  }
  return program;
}
