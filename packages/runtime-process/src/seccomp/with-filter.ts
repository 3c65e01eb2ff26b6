import { closeSync, openSync } from 'node:fs';

/**
 * Calls `spawn` with the filter at `path` opened for a child to read, and closes it in this process. Each sandbox needs
 * a descriptor of its own: the child reads it to its end.
 * @throws the system's error when the filter can't be opened: a program is not started without it.
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
