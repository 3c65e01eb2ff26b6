import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Command, findShellLine } from '../plan/command.ts';

/** Puts the project's own programs before the machine's, then runs the line it is given as it is. */
const WITH_BIN_FOLDERS = (folders: readonly string[]) =>
  `PATH="${folders.map((folder) => `$$PWD/${folder}:`).join('')}$$PATH"; export PATH; exec /bin/sh -c "$$1"`;

/**
 * The argv by which a command finds the programs that the project's dependencies brought: a plain name becomes its path
 * in a bin folder when there is one of that name, and a shell gets the bin folders in its PATH. Elements stay elements for `expandCommand`.
 */
export async function resolveCommand(
  command: Command,
  folder: string,
  binFolders: readonly string[],
): Promise<readonly string[]> {
  const { argv } = command;
  const line = findShellLine(command);
  if (line !== undefined) {
    return binFolders.length === 0 ? argv : ['/bin/sh', '-c', WITH_BIN_FOLDERS(binFolders), 'sh', line];
  }
  const [program = '', ...rest] = argv;
  if (program.includes('/') || program.includes('$')) return argv;
  for (const bin of binFolders) {
    const found = await lstat(join(folder, bin, program)).catch(() => undefined);
    if (found?.isFile() || found?.isSymbolicLink()) return [`./${bin}/${program}`, ...rest];
  }
  return argv;
}
