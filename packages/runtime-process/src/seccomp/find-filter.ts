import { existsSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The path of the compiled filter of system calls (`struct sock_filter[]`, see seccomp(2)) for this process's
 * architecture; undefined where Berth has none. It is for programs without capabilities.
 */
export function findFilter(): string | undefined {
  const path = join(import.meta.dirname, `${process.arch}.bpf`);
  return existsSync(path) ? path : undefined;
}
