import { existsSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Returns the path of the compiled system call filter (`struct sock_filter[]`, see seccomp(2)) for this process's architecture, or undefined
 * when Berth has none. The filter is for programs without capabilities.
 */
export function findFilter(): string | undefined {
  const path = join(import.meta.dirname, `${process.arch}.bpf`);
  return existsSync(path) ? path : undefined;
}
