import { constants } from 'node:os';
import type { InstanceExit } from '@berth/runtime';

/** The end of a container as reported by its engine. */
export interface ContainerEnd {
  readonly exitCode: number;
  readonly isOutOfMemory: boolean;
}

/** Translates the end of a container. Like a shell, an init process exits with 128 + n when signal n ended the program. */
export function toExit({ exitCode, isOutOfMemory }: ContainerEnd, isRequested: boolean): InstanceExit {
  const signal = Object.entries(constants.signals).find(([, number]) => number === exitCode - 128)?.[0];
  return {
    ...(signal === undefined ? { exitCode, signal: null } : { exitCode: null, signal }),
    // A program may exit because the memory limit killed one of its processes: that counts as out of memory, too.
    isOutOfMemory: isOutOfMemory && exitCode !== 0,
    isRequested,
  };
}
