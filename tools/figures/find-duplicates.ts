import type { SourceFile } from '../layers/read-sources.ts';

/** A run of shorter length is chance: the ends of two functions, or two lists of the same fields. */
export const MIN_DUPLICATE_LINES = 6;

/** The same lines in two places. */
export interface Duplicate {
  /** Lines that are the same, at least {@link MIN_DUPLICATE_LINES}. */
  readonly lines: number;
  /** `path:line` of the first line of each, from 1. */
  readonly places: readonly [string, string];
}

interface Place {
  readonly file: number;
  readonly at: number;
}

/**
 * Finds runs of equal lines in two places, longest first. Lines are compared without the spaces around them; blank lines and imports
 * are left out.
 */
export function findDuplicates(files: readonly Pick<SourceFile, 'path' | 'text'>[]): Duplicate[] {
  const texts = files.map(({ text }) => readLines(text));
  const windows = new Map<string, Place[]>();
  texts.forEach((lines, file) => {
    for (let at = 0; at + MIN_DUPLICATE_LINES <= lines.length; at++) {
      const key = lines
        .slice(at, at + MIN_DUPLICATE_LINES)
        .map((line) => line.text)
        .join('\n');
      const places = windows.get(key);
      if (places) places.push({ file, at });
      else windows.set(key, [{ file, at }]);
    }
  });
  const lineAt = ({ file, at }: Place, offset: number) => texts[file]?.[at + offset]?.text;
  const isSame = (a: Place, b: Place, offset: number) => {
    const line = lineAt(a, offset);
    return line !== undefined && line === lineAt(b, offset);
  };
  const found: Duplicate[] = [];
  for (const places of windows.values()) {
    places.forEach((a, index) => {
      for (const b of places.slice(index + 1)) {
        const overlaps = a.file === b.file && b.at - a.at < MIN_DUPLICATE_LINES;
        // A run is counted where it begins.
        if (overlaps || isSame(a, b, -1)) continue;
        let lines = MIN_DUPLICATE_LINES;
        while (isSame(a, b, lines)) lines++;
        const place = ({ file, at }: Place) => `${files[file]?.path}:${texts[file]?.[at]?.number}`;
        found.push({ lines, places: [place(a), place(b)] });
      }
    });
  }
  return found.sort((a, b) => b.lines - a.lines);
}

function readLines(text: string): { readonly text: string; readonly number: number }[] {
  const code = text.replace(/^(?:import|export)\s[^;]*?\sfrom '[^']+';$/gm, (one) => one.replace(/[^\n]/g, ''));
  return code
    .split('\n')
    .map((line, index) => ({ text: line.trim(), number: index + 1 }))
    .filter((line) => line.text !== '');
}
