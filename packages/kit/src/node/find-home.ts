import { homedir } from 'node:os';

/** Returns the home folder; a user without `HOME` and without an entry in the user table has none. */
export function findHome(): string {
  try {
    return homedir();
  } catch {
    return '/nonexistent';
  }
}
