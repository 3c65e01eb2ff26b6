import { LIMITS } from './limits.ts';

/** The maximum length of a path segment in bytes: the limit of the file systems that hold mounted volumes. */
const MAX_PART_BYTES = 255;

const UTF8 = new TextEncoder();

/**
 * Parses the path of an object in its volume: a relative POSIX path of at most 1,024 bytes, without empty, `.` or `..`
 * segments. Removes one leading `/`. All other characters except NUL are literal, including `\`, `%2e` and spaces. The
 * Unicode form is kept; new objects are stored in NFC, see {@link toStoredPath}.
 */
export function parseObjectPath(text: string): { readonly path: string } | { readonly problem: string } {
  const path = text.startsWith('/') ? text.slice(1) : text;
  if (path === '') return { problem: 'the path is empty' };
  if (!path.isWellFormed()) return { problem: 'the path is not valid Unicode' };
  if (path.includes('\0')) return { problem: 'the path holds NUL' };
  if (UTF8.encode(path).length > LIMITS.objectPathBytes)
    return { problem: `the path has more than ${LIMITS.objectPathBytes} bytes` };
  for (const part of path.split('/')) {
    if (part === '') return { problem: 'the path has an empty part: two "/" in a row, or one at its end' };
    if (part === '.' || part === '..') return { problem: `the path has a part "${part}"` };
    if (UTF8.encode(part).length > MAX_PART_BYTES) {
      return { problem: `a part of the path has more than ${MAX_PART_BYTES} bytes` };
    }
  }
  return { path };
}

/** Returns the path under which a new object is stored: in NFC, so that no two objects look the same. */
export function toStoredPath(path: string): string {
  return path.normalize('NFC');
}
