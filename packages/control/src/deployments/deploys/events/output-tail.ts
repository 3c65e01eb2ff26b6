/** Remembers the last few lines of output. */
export interface OutputTail {
  add(line: string): void;
  /** Forgets what it had: the output of something else begins. */
  clear(): void;
  /** Oldest first. */
  readonly lines: readonly string[];
}

/** @param size lines kept, at least 1. */
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
