import type { ChildProcess } from 'node:child_process';
import { closeSync, constants, openSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Writable } from 'node:stream';

/**
 * Opens the pipe from which a sandbox reads one byte before it runs its program: the named pipe that `createPrivateFolder` made, and unlinks it. The sandbox gets both ends of the pipe, because bubblewrap treats
 * end of file like a byte, and the death of the server must not release programs. (Without named pipes it does.)
 * @param descriptor The pipe's descriptor number in the child.
 */
export function openGate(privateFolder: string, descriptor: number) {
  const path = join(privateFolder, 'gate');
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_RDWR);
    unlinkSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const close = (): void => {
    if (file !== undefined) closeSync(file);
    file = undefined;
  };
  return {
    /** For `stdio` of `spawn`. */
    stdio: file ?? ('pipe' as const),
    /** Lets the sandbox run its program. Call it once. */
    open(child: ChildProcess): void {
      if (file !== undefined) {
        writeSync(file, '\n');
        close();
        return;
      }
      const pipe = child.stdio[descriptor] as Writable | null | undefined;
      // If the sandbox couldn't be built, no one reads the pipe; the exit of the child reports that.
      pipe?.on('error', () => {}).end('\n');
    },
    /** Closes this process's descriptor. Idempotent. */
    close,
  };
}
