/** A buffer of the last lines of an output. */
export interface OutputTail {
  add(line: string): void;
  readonly lines: readonly string[];
}

/** Creates a buffer that keeps the last `maxLines` lines. */
export function createOutputTail(maxLines: number): OutputTail {
  const lines: string[] = [];
  return {
    add(line) {
      lines.push(line);
      if (lines.length > maxLines) lines.shift();
    },
    get lines() {
      return [...lines];
    },
  };
}
