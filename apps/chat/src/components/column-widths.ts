const LEAST = 8;
const MOST = 36;
/** Room at both sides of a cell, and for the arrow of the order. */
const AROUND = 6;

/**
 * How wide the columns of a table are, in characters, by its heading and its first row alone: rows that come later change
 * nothing that is there.
 */
export function columnWidths(headers: readonly string[], first: readonly string[]): readonly number[] {
  return headers.map((header, column) => {
    const longest = Math.max(header.length, first[column]?.length ?? 0);
    return Math.min(MOST, Math.max(LEAST, longest)) + AROUND;
  });
}
