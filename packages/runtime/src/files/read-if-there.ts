import { readFileSync } from 'node:fs';

/** Returns the text of a file; empty when it can't be read: it is missing, or its process has ended or belongs to another user. */
export function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
