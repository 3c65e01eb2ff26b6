/** Keeps the last few lines of output. */
export interface OutputTail {
  add(line: string): void;
  /** Drops all lines, before the output of something else. */
  clear(): void;
  /** Oldest first. */
  readonly lines: readonly string[];
}

/** @param size lines to keep, at least 1. */
export function createOutputTail(size: number): OutputTail {
  const lines: string[] = [];
  return {
    add(line) {
      if (lines.length === size) lines.shift();
      lines.push(line);
    },
    clear() {
      lines.length = 0;
    },
    lines,
  };
}
