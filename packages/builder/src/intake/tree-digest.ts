import { createHash } from 'node:crypto';

/** A hash of a tree that doesn't depend on the order of its entries. */
export interface TreeDigest {
  /** Adds an entry. `mark` identifies its content: a hash of a file's bytes and mode, or a link's target. */
  add(path: string, mark: string): void;
  /** Returns the mark added for `path`, or undefined. */
  find(path: string): string | undefined;
  /** Returns the hex SHA-256 of all entries. */
  finish(): string;
}

/** Creates a digest of an empty tree. */
export function createTreeDigest(): TreeDigest {
  const marks = new Map<string, string>();
  return {
    add: (path, mark) => {
      marks.set(path, mark);
    },
    find: (path) => marks.get(path),
    finish() {
      const hash = createHash('sha256');
      // Neither paths nor marks contain NUL, so different trees give different input.
      for (const path of [...marks.keys()].sort()) hash.update(`${path}\0${marks.get(path)}\0`);
      return hash.digest('hex');
    },
  };
}
