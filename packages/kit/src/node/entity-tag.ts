import type { BigIntStats } from 'node:fs';

/**
 * Returns a strong entity tag for a file's content, including the quotes (RFC 9110, 8.8.3). Every write changes the
 * file's modification time, and a file that replaces it has another inode number.
 */
export function entityTag({ size, mtimeNs, ino }: Pick<BigIntStats, 'size' | 'mtimeNs' | 'ino'>): string {
  return `"${[size, mtimeNs, ino].map((part) => part.toString(36)).join('-')}"`;
}
