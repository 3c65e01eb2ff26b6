/** Compares paths in the order in which volumes list objects: by their bytes in UTF-8. */
export function comparePaths(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}
