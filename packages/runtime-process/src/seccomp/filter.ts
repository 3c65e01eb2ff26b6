import { closeSync, existsSync, openSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Calls `spawn` with a descriptor of the filter at `path`, or with undefined when there is no path, and then closes the descriptor. Each
 * sandbox needs its own descriptor, because the child reads it to its end.
 * @throws the system's error when the filter can't be opened, because programs must not start without it.
 */
export function withFilter<T>(path: string | undefined, spawn: (descriptor: number | undefined) => T): T {
  if (path === undefined) return spawn(undefined);
  const descriptor = openSync(path, 'r');
  try {
    return spawn(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Returns the path of the compiled system call filter (`struct sock_filter[]`, see seccomp(2)) for this process's architecture, or undefined
 * when Berth has none. The filter is for programs without capabilities.
 */
export function findFilter(): string | undefined {
  const path = join(import.meta.dirname, `${process.arch}.bpf`);
  return existsSync(path) ? path : undefined;
}
