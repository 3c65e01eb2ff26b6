import type { ChildProcess } from 'node:child_process';
import { closeSync, constants, openSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Writable } from 'node:stream';

/** Holds a sandbox back: it reads one byte from here before it runs the program. */
export interface Gate {
  /** For `stdio` of `spawn`. */
  readonly stdio: number | 'pipe';
  /** Lets it through, once. */
  open(child: ChildProcess): void;
  /** Frees what this process holds of it. Idempotent. */
  close(): void;
}

/**
 * Opens the named pipe that `createPrivateFolder` made, and takes its name away. The sandbox gets both of its ends: for
 * bubblewrap the end of a pipe is as good as a byte, and a server that is killed must not let go what it held back. (Where
 * there are no named pipes, it does.)
 * @param descriptor Its number in the child.
 */
export function openGate(privateFolder: string, descriptor: number): Gate {
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
    stdio: file ?? 'pipe',
    open(child) {
      if (file !== undefined) {
        writeSync(file, '\n');
        close();
        return;
      }
      const pipe = child.stdio[descriptor] as Writable | null | undefined;
      // A sandbox that could not be built leaves nobody to read: its exit tells.
      pipe?.on('error', () => {}).end('\n');
    },
    close,
  };
}
