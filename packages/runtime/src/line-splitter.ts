/** Splits the output of a command into lines. */
export type LineSplitter = ReturnType<typeof createLineSplitter>;

/** Maximum length of a line, in bytes of UTF-8 (see `CommandSpec.onLine`). */
export const MAX_LINE_BYTES = 16_384;

const LF = 0x0a;
const CR = 0x0d;

/**
 * Creates a splitter. Lines end with LF or CR LF. A lone CR restarts the line, as in a terminal, so that only the last state of a
 * progress bar remains. Lines over {@link MAX_LINE_BYTES} are split. Invalid UTF-8 becomes U+FFFD. At most one line is buffered.
 */
export function createLineSplitter() {
  let parts: Buffer[] = [];
  let size = 0;
  let isAfterCr = false;

  const take = (): string[] => {
    const text = Buffer.concat(parts).toString('utf8');
    parts = [];
    size = 0;
    return cutText(text);
  };
  const append = (bytes: Buffer, lines: string[]): void => {
    let rest = bytes;
    while (size + rest.length > MAX_LINE_BYTES) {
      const cut = findCharacterStart(rest, MAX_LINE_BYTES - size);
      parts.push(rest.subarray(0, cut));
      lines.push(...take());
      rest = rest.subarray(cut);
    }
    parts.push(rest);
    size += rest.length;
  };

  return {
    /** Adds bytes and returns the lines that they complete. */
    push(chunk: Uint8Array): string[] {
      const bytes = Buffer.from(chunk);
      const lines: string[] = [];
      for (let at = 0; at < bytes.length; ) {
        if (isAfterCr) {
          isAfterCr = false;
          if (bytes[at] !== LF) {
            parts = [];
            size = 0;
          }
        }
        const end = findLineEnd(bytes, at);
        append(bytes.subarray(at, end), lines);
        if (bytes[end] === LF) lines.push(...take());
        if (bytes[end] === CR) isAfterCr = true;
        at = end + 1;
      }
      return lines;
    },
    /** Returns the rest, at the end of the output. */
    flush: (): string[] => (size === 0 ? [] : take()),
  };
}

function findLineEnd(bytes: Buffer, from: number): number {
  const lf = bytes.indexOf(LF, from);
  const end = lf < 0 ? bytes.length : lf;
  const cr = bytes.subarray(from, end).indexOf(CR);
  return cr < 0 ? end : from + cr;
}

/** Returns `at`, or the start of the character that `at` is inside of. A character takes at most four bytes in UTF-8. */
function findCharacterStart(bytes: Buffer, at: number): number {
  for (let start = at; start > Math.max(0, at - 4); start--) {
    if (((bytes[start] ?? 0) & 0xc0) !== 0x80) return start;
  }
  return at;
}

/** Splits a text into lines of at most {@link MAX_LINE_BYTES}: a replaced byte grows to three. An empty text is one empty line. */
function cutText(text: string): string[] {
  if (text.length * 3 <= MAX_LINE_BYTES || Buffer.byteLength(text) <= MAX_LINE_BYTES) return [text];
  const characters = Math.floor(MAX_LINE_BYTES / 3);
  const pieces: string[] = [];
  for (let at = 0; at < text.length; ) {
    // A surrogate pair must stay together.
    const isPair = (text.charCodeAt(at + characters - 1) & 0xfc00) === 0xd800;
    const end = at + characters - (isPair ? 1 : 0);
    pieces.push(text.slice(at, end));
    at = end;
  }
  return pieces;
}
