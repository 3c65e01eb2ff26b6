import { ArrowDown, ArrowUp } from 'lucide-react';
import { type ReactNode, useMemo, useState } from 'react';
import { useChatTexts } from '../text/use-chat-texts.ts';
import { compareCells, nextOrder, type TableOrder } from './compare-cells.ts';

/** A cell of a table: what is shown, and the text that is sorted and measured. */
export interface Cell {
  readonly text: string;
  readonly content: ReactNode;
}

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
  /** The texts of the first row, which set the column widths. */
  readonly first: readonly string[];
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
  const { headers, first, order, setOrder, rowCount, className = '', children } = props;
  const { t } = useChatTexts();
  const headerTexts = headers.map(({ text }) => text);
  const widths = columnWidths(headerTexts, first);
  return (
    <table
      dir="auto"
      aria-rowcount={rowCount}
      className={`w-full table-fixed border-collapse text-start ${className}`}
      style={{ minWidth: `${widths.reduce((sum, width) => sum + width, 0)}ch` }}
    >
      <colgroup>
        {widths.map((width, column) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: columns have no ID and never change places
          <col key={column} style={{ width: `${width}ch` }} />
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
              return (
                // biome-ignore lint/suspicious/noArrayIndexKey: columns have no ID and never change places
                <th key={column} scope="col" aria-sort={sorted} className="border-b border-line p-0 text-start">
                  <button
                    type="button"
                    title={t('part.sort', { name })}
                    onClick={() => setOrder(nextOrder(order, column))}
                    className="flex w-full items-center gap-1 px-3 py-2 text-start font-semibold hover:bg-hover"
                  >
                    <span dir="auto" className="min-w-0 wrap-break-word">
                      {text === '' ? name : content}
                    </span>
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

const MIN_CHARACTERS = 8;
const MAX_CHARACTERS = 36;
/** Padding of a cell and room for the sort arrow, in characters. */
const AROUND = 6;

/**
 * Returns the column widths of a table in characters. Only the heading and the first row count, so that rows which stream in
 * later don't change the layout.
 */
export function columnWidths(headers: readonly string[], first: readonly string[]): readonly number[] {
  return headers.map((header, column) => {
    const longest = Math.max(header.length, first[column]?.length ?? 0);
    return Math.min(MAX_CHARACTERS, Math.max(MIN_CHARACTERS, longest)) + AROUND;
  });
}
