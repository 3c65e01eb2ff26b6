/**
 * Adds the lines that a failure ends with to those that were printed. Of a build they are its last ones, which were there
 * already; of a start they are the program's, which were not.
 */
export function addLastLines(lines: string[], last: readonly string[]): void {
  const tail = lines.slice(lines.length - last.length);
  const isThere = last.length <= lines.length && last.every((line, at) => line === tail[at]);
  if (!isThere) lines.push(...last);
}
