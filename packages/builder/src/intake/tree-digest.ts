import { createHash } from 'node:crypto';

/** Adds up a tree into one hash, whatever order its parts came in. */
export interface TreeDigest {
  /** `mark` tells contents apart: a hash of a file's bytes and mode, or a link's target. */
  add(path: string, mark: string): void;
  /** The mark given for `path`, or undefined. */
  find(path: string): string | undefined;
  /** Hex SHA-256. */
  finish(): string;
}

export function createTreeDigest(): TreeDigest {
  const marks = new Map<string, string>();
  return {
    add: (path, mark) => {
      marks.set(path, mark);
    },
    find: (path) => marks.get(path),
    finish() {
      const hash = createHash('sha256');
      // Neither a path nor a mark can hold NUL, so no two trees read the same.
      for (const path of [...marks.keys()].sort()) hash.update(`${path}\0${marks.get(path)}\0`);
      return hash.digest('hex');
    },
  };
}
