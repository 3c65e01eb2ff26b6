/** The last few lines of output. */
export type OutputTail = ReturnType<typeof createOutputTail>;

/** @param size lines to keep, at least 1. */
export function createOutputTail(size: number) {
  const lines: string[] = [];
  return {
    add(line: string): void {
      if (lines.length === size) lines.shift();
      lines.push(line);
    },
    /** Drops all lines, before the output of something else. */
    clear(): void {
      lines.length = 0;
    },
    /** Oldest first. */
    lines,
  };
}
