import type { TablePart } from '@berth/contract/agent';
import type { Tokens } from 'marked';
import { memo, type ReactNode, useCallback } from 'react';
import { ScrollBox } from '../../../components/scroll-box.tsx';
import { type Cell, SortableTable, useSortedRows } from '../../../components/sortable-table.tsx';
import { useChatTexts } from '../../../text/use-chat-texts.ts';
import { Inline } from './inline-view.tsx';

/** Props of a table with any kind of row; the same row object is not rendered again. */
interface TableProps<Row extends object> {
  readonly headers: readonly Cell[];
  readonly rows: readonly Row[];
  /** Returns the cells of a row; must be the same function on each render. */
  readonly cellsOf: (row: Row) => readonly Cell[];
  readonly isLive: boolean;
}

const toCell = (value: unknown): Cell => ({ text: String(value), content: String(value) });
const toCells = (row: readonly unknown[]) => row.map(toCell);
const toMarkdownCells = (row: readonly Tokens.TableCell[]) =>
  row.map(({ text, tokens }): Cell => ({ text, content: <Inline tokens={tokens} /> }));

interface PartTableProps {
  readonly part: TablePart;
  readonly isLive: boolean;
}

/** A table from a table part of an answer. */
export const PartTable = memo(function PartTable({ part, isLive }: PartTableProps) {
  return <Table headers={toCells(part.headers)} rows={part.rows} cellsOf={toCells} isLive={isLive} />;
});

interface MarkdownTableProps {
  readonly table: Tokens.Table;
  readonly isLive: boolean;
}

/** A Markdown table. */
export const MarkdownTable = memo(function MarkdownTable({ table, isLive }: MarkdownTableProps) {
  return <Table headers={toMarkdownCells(table.header)} rows={table.rows} cellsOf={toMarkdownCells} isLive={isLive} />;
});

/** A table sortable by column; a third press on a heading restores the original order. */
function Table<Row extends object>({ headers, rows, cellsOf, isLive }: TableProps<Row>) {
  const { t } = useChatTexts();
  const textOf = useCallback((row: Row, column: number) => cellsOf(row)[column]?.text ?? '', [cellsOf]);
  const { shown, ...sorting } = useSortedRows(rows, textOf);
  const [first] = rows;
  // The first row sets the column widths, so that columns never move: wait until that row is complete.
  if (isLive && rows.length < 2) return null;
  return (
    <ScrollBox label={t('part.table')} className="my-3 max-h-[32rem] rounded-lg border border-line">
      <SortableTable headers={headers} first={first ? cellsOf(first).map(({ text }) => text) : []} {...sorting}>
        {shown.map((row, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows have no ID
          <TableRow key={index} row={row} cellsOf={cellsOf} />
        ))}
      </SortableTable>
    </ScrollBox>
  );
}

interface TableRowProps<Row extends object> {
  readonly row: Row;
  readonly cellsOf: (row: Row) => readonly Cell[];
}

const TableRow = memo(function TableRow<Row extends object>({ row, cellsOf }: TableRowProps<Row>) {
  return (
    <tr className="border-b border-line last:border-0">
      {cellsOf(row).map(({ content }, column) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: columns have no ID and never change places
        <td key={column} dir="auto" className="px-3 py-2 align-top wrap-break-word">
          {content}
        </td>
      ))}
    </tr>
  );
}) as <Row extends object>(props: TableRowProps<Row>) => ReactNode;
