import { cleanText } from './clean-text.ts';
import type { Style } from './style.ts';

/** A column: its heading, a row's text in it, and how that text is painted. */
export interface Column<Row> {
  readonly heading: string;
  text(row: Row): string;
  paint?(text: string, row: Row): string;
}

/** Formats rows under headings, in columns two spaces apart; the last column isn't padded. */
export function formatTable<Row>(rows: readonly Row[], columns: readonly Column<Row>[], style: Style): string {
  const cells = rows.map((row) => columns.map((column) => cleanText(column.text(row)).replace(/\s+/g, ' ')));
  const headings = columns.map((column) => cleanText(column.heading));
  const widths = headings.map((heading, index) =>
    Math.max(heading.length, ...cells.map((line) => line[index]?.length ?? 0)),
  );
  const pad = (text: string, index: number) => (index === columns.length - 1 ? text : text.padEnd(widths[index] ?? 0));
  const head = headings.map((heading, index) => style.dim(pad(heading, index))).join('  ');
  const body = rows.map((row, line) =>
    columns
      .map((column, index) => {
        const text = pad(cells[line]?.[index] ?? '', index);
        return column.paint ? column.paint(text, row) : text;
      })
      .join('  '),
  );
  return [head, ...body].join('\n');
}
