import { ArrowDown, ArrowUp } from 'lucide-react';
import { type ReactNode, useMemo, useState } from 'react';
import { useChatTexts } from '../text/use-chat-texts.ts';
import { compareCells, nextOrder, type TableOrder } from './compare-cells.ts';

/** A cell of a table: what is shown, and the text that is sorted and measured. */
export interface Cell {
  readonly text: string;
  readonly content: ReactNode;
}

/** The alignment of a column, from the side where lines start. */
export type Alignment = 'start' | 'center' | 'end';

/** Class names of the cells of an aligned column. */
export const ALIGNED = { start: 'text-start', center: 'text-center', end: 'text-end' } as const;
/** The same for the heading's button. The arrow stands on the side that is not aligned. */
const ALIGNED_HEADING = { start: '', center: 'justify-center', end: 'flex-row-reverse' } as const;

/**
 * Sorts the rows of a table by the column that the person chose. Returns the rows to show, the order, and its setter.
 * @param textOf returns the text of a cell; must be the same function on each render
 */
export function useSortedRows<Row>(rows: readonly Row[], textOf: (row: Row, column: number) => string) {
  const { language } = useChatTexts();
  const [order, setOrder] = useState<TableOrder | undefined>();
  const shown = useMemo(() => {
    if (!order) return rows;
    const sign = order.isDown ? -1 : 1;
    const keys = new Map(rows.map((row) => [row, textOf(row, order.column)]));
    return rows.toSorted((a, b) => sign * compareCells(keys.get(a) ?? '', keys.get(b) ?? '', language));
  }, [rows, order, language, textOf]);
  return { shown, order, setOrder };
}

export interface SortableTableProps {
  readonly headers: readonly Cell[];
  /** The texts of some rows, which with the headings set the column widths. Must be the same array on each render. */
  readonly measured: readonly (readonly string[])[];
  /** The alignment of each column; `start` when absent. */
  readonly alignments?: readonly (Alignment | undefined)[];
  readonly order: TableOrder | undefined;
  setOrder(order: TableOrder | undefined): void;
  /** Number of rows with the heading, where not all rows are in the document. */
  readonly rowCount?: number;
  readonly className?: string;
  /** The rows. */
  readonly children: ReactNode;
}

/** A table whose headings sort it: pressing a column sorts ascending, then descending, then not at all. */
export function SortableTable(props: SortableTableProps) {
  const { headers, measured, alignments, order, setOrder, rowCount, className = '', children } = props;
  const { t } = useChatTexts();
  const columns = columnWidths([headers.map(({ text }) => text), ...measured]);
  return (
    <table
      aria-rowcount={rowCount}
      className={`w-full table-fixed border-collapse text-start ${className}`}
      style={{ minWidth: `${columns.reduce((sum, { least }) => sum + least, 0)}ch` }}
    >
      <colgroup>
        {columns.map(({ width }, column) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: columns have no ID and never change places
          <col key={column} style={width === undefined ? {} : { width: `${width}ch` }} />
        ))}
      </colgroup>
      {headers.length > 0 && (
        <thead className="sticky top-0 z-10 bg-sunken">
          <tr>
            {headers.map(({ text, content }, column) => {
              const isChosen = order?.column === column;
              const Arrow = order?.isDown ? ArrowDown : ArrowUp;
              const sorted = isChosen ? (order.isDown ? 'descending' : 'ascending') : undefined;
              const name = text || t('part.column', { count: column + 1 });
              const alignment = alignments?.[column] ?? 'start';
              return (
                <th
                  // biome-ignore lint/suspicious/noArrayIndexKey: columns have no ID and never change places
                  key={column}
                  scope="col"
                  aria-sort={sorted}
                  className={`border-b border-line p-0 ${ALIGNED[alignment]}`}
                >
                  <button
                    type="button"
                    title={t('part.sort', { name })}
                    onClick={() => setOrder(nextOrder(order, column))}
                    className={`flex w-full items-center gap-1 px-3 py-2 font-semibold hover:bg-hover ${ALIGNED[alignment]} ${ALIGNED_HEADING[alignment]}`}
                  >
                    <bdi className="min-w-0 wrap-break-word">{text === '' ? name : content}</bdi>
                    <Arrow aria-hidden className={`size-3.5 shrink-0 ${isChosen ? '' : 'opacity-0'}`} />
                  </button>
                </th>
              );
            })}
          </tr>
        </thead>
      )}
      <tbody>{children}</tbody>
    </table>
  );
}

const MIN_CHARACTERS = 3;
/** Longer texts wrap: their columns share the width that the others leave. */
const MAX_CHARACTERS = 24;
/** Padding of a cell and room for the sort arrow, in characters. */
const AROUND = 6;

/** The width of a column in characters; without `width` it takes the rest of the table, but at least `least`. */
interface ColumnWidth {
  readonly width?: number;
  readonly least: number;
}

/** Returns the column widths of a table by its longest texts. Rows that stream in later don't count: columns never move. */
export function columnWidths([headers = [], ...rows]: readonly (readonly string[])[]): readonly ColumnWidth[] {
  return headers.map((header, column) => {
    const longest = rows.reduce((most, row) => Math.max(most, row[column]?.length ?? 0), header.length);
    const width = Math.max(MIN_CHARACTERS, longest) + AROUND;
    return longest > MAX_CHARACTERS ? { least: MAX_CHARACTERS + AROUND } : { width, least: width };
  });
}
