import { lstatSync, readdirSync } from 'node:fs';
import path from 'node:path';

/** Bytes of all files below `folder`, links not followed. A file that goes meanwhile counts nothing. */
export function folderBytes(folder: string): number {
  let bytes = 0;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    bytes += lstatSync(path.join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size ?? 0;
  }
  return bytes;
}
