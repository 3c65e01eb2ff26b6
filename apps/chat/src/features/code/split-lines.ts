/** Consecutive lines of a text. */
export interface LinePiece {
  /** The lines without the last line break. */
  readonly text: string;
  readonly lines: number;
}

const LINES = 40;

/** Splits text into pieces of 40 lines. When text grows, all pieces but the last stay the same. */
export function splitLines(text: string): readonly LinePiece[] {
  const pieces: LinePiece[] = [];
  let start = 0;
  let lines = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) {
    if (++lines < LINES) continue;
    pieces.push({ text: text.slice(start, at), lines });
    start = at + 1;
    lines = 0;
  }
  return [...pieces, { text: text.slice(start), lines: lines + 1 }];
}
