/**
 * Appends the last lines that a failure event repeats, unless they are already there. After a failed build they are the
 * end of the build output; after a failed start they are the program's output.
 */
export function addLastLines(lines: string[], last: readonly string[]): void {
  const tail = lines.slice(lines.length - last.length);
  const isThere = last.length <= lines.length && last.every((line, at) => line === tail[at]);
  if (!isThere) lines.push(...last);
}
