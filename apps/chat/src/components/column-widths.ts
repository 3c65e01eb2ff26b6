const LEAST = 8;
const MOST = 36;
/** Padding of a cell and room for the sort arrow, in characters. */
const AROUND = 6;

/**
 * Returns the column widths of a table in characters. Only the heading and the first row count, so that rows which stream in
 * later don't change the layout.
 */
export function columnWidths(headers: readonly string[], first: readonly string[]): readonly number[] {
  return headers.map((header, column) => {
    const longest = Math.max(header.length, first[column]?.length ?? 0);
    return Math.min(MOST, Math.max(LEAST, longest)) + AROUND;
  });
}
