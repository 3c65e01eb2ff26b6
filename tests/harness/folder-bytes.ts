import { lstatSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { isAbsence } from '@berth/kit/node';

/** Bytes of all files below `folder`, links not followed. A file or folder that goes meanwhile counts nothing. */
export function folderBytes(folder: string): number {
  let bytes = 0;
  for (const entry of entriesOf(folder)) {
    const inner = path.join(folder, entry.name);
    if (entry.isDirectory()) bytes += folderBytes(inner);
    else if (entry.isFile()) bytes += lstatSync(inner, { throwIfNoEntry: false })?.size ?? 0;
  }
  return bytes;
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (isAbsence(error)) return [];
    throw error;
  }
}
