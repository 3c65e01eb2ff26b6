import { LIMITS } from './limits.ts';

/** Bytes of one part of a path: what the file systems that hold mounted volumes can name. */
const MAX_PART_BYTES = 255;

const UTF8 = new TextEncoder();

/**
 * Reads the path of an object inside its volume: POSIX, relative, at most 1,024 bytes, no empty, `.` or `..` part. One
 * `/` in front is dropped. Every other character but NUL is a part of a name: `\`, `%2e` and spaces mean themselves.
 * The Unicode form is left as it came; what is stored anew is stored in NFC, see {@link toStoredPath}.
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

/** The form a path is stored under: one spelling of each name, so that no two objects look the same. */
export function toStoredPath(path: string): string {
  return path.normalize('NFC');
}
