/** Lines that stand together. */
export interface LinePiece {
  /** Without the end of its last line. */
  readonly text: string;
  readonly lines: number;
}

const LINES = 40;

/** Text in pieces of 40 lines: of text that grows, all but the last piece stay the same. */
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
