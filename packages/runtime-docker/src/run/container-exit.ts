import { constants } from 'node:os';
import type { InstanceExit } from '@berth/runtime';

/** How a container ended, as its engine has it. */
export interface ContainerEnd {
  readonly exitCode: number;
  readonly isOutOfMemory: boolean;
}

/** An init process exits with 128 + n for a program that was ended by signal n, as a shell does. */
export function toExit({ exitCode, isOutOfMemory }: ContainerEnd, isRequested: boolean): InstanceExit {
  const signal = Object.entries(constants.signals).find(([, number]) => number === exitCode - 128)?.[0];
  return {
    ...(signal === undefined ? { exitCode, signal: null } : { exitCode: null, signal }),
    // A program may end itself because one of its processes was ended: that, too, was the memory limit.
    isOutOfMemory: isOutOfMemory && exitCode !== 0,
    isRequested,
  };
}
