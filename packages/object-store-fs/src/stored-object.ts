import type { BigIntStats } from 'node:fs';
import type { StoredObject } from '@berth/object-store';

/** A file as an object. Every write changes its time, and a file that takes its place has another number. */
export function toStoredObject(path: string, stats: BigIntStats): StoredObject {
  const etag = [stats.size, stats.mtimeNs, stats.ino].map((part) => part.toString(36)).join('-');
  return { path, sizeBytes: Number(stats.size), updatedAtMs: Number(stats.mtimeMs), etag: `"${etag}"` };
}
