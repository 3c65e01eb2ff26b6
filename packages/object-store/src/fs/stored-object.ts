import type { BigIntStats } from 'node:fs';
import { entityTag } from '@berth/kit/node';
import type { StoredObject } from '../object-store.ts';

export function toStoredObject(path: string, stats: BigIntStats): StoredObject {
  return { path, sizeBytes: Number(stats.size), updatedAtMs: Number(stats.mtimeMs), etag: entityTag(stats) };
}
