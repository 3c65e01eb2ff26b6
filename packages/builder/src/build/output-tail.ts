/** A buffer of the last lines of an output. */
export type OutputTail = ReturnType<typeof createOutputTail>;

/** Creates a buffer that keeps the last `maxLines` lines. */
export function createOutputTail(maxLines: number) {
  const lines: string[] = [];
  return {
    add(line: string): void {
      lines.push(line);
      if (lines.length > maxLines) lines.shift();
    },
    get lines(): readonly string[] {
      return [...lines];
    },
  };
}
