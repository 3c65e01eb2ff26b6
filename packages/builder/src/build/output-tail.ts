/** Keeps the last lines of what passes. */
export interface OutputTail {
  add(line: string): void;
  readonly lines: readonly string[];
}

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
