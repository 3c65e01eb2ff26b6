/** The order in which volumes list their objects: that of the bytes of their paths in UTF-8. */
export function comparePaths(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}
