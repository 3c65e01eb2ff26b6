import type { BigIntStats } from 'node:fs';

/**
 * A strong validator of a file's bytes, with its quotes (RFC 9110, 8.8.3). Every write changes the time of a file, and one
 * that takes its place has another number.
 */
export function entityTag({ size, mtimeNs, ino }: Pick<BigIntStats, 'size' | 'mtimeNs' | 'ino'>): string {
  return `"${[size, mtimeNs, ino].map((part) => part.toString(36)).join('-')}"`;
}
