import type { TablePart } from '@berth/contract/agent';
import type { Tokens } from 'marked';
import { memo, type ReactNode, useMemo, useState } from 'react';
import { columnWidths } from '../../../components/column-widths.ts';
import { compareCells, type TableOrder } from '../../../components/compare-cells.ts';
import { ScrollBox } from '../../../components/scroll-box.tsx';
import { type Cell, Columns, SortHeadings } from '../../../components/sort-headings.tsx';
import { useChatTexts } from '../../../text/use-chat-texts.ts';
import { Inline } from './inline-view.tsx';

/** Any kind of row; one that is the same object as before is not drawn again. */
interface TableProps<Row extends object> {
  readonly headers: readonly Cell[];
  readonly rows: readonly Row[];
  /** The same function for the same kind of rows. */
  readonly cellsOf: (row: Row) => readonly Cell[];
  readonly isLive: boolean;
}

const toCell = (value: unknown): Cell => ({ text: String(value), content: String(value) });
const toCells = (row: readonly unknown[]) => row.map(toCell);
const toMarkdownCells = (row: readonly Tokens.TableCell[]) =>
  row.map(({ text, tokens }): Cell => ({ text, content: <Inline tokens={tokens} /> }));

/** A table that the agent sent as one. */
export const PartTable = memo(function PartTable({
  part,
  isLive = false,
}: {
  readonly part: TablePart;
  readonly isLive?: boolean;
}) {
  return <Table headers={toCells(part.headers)} rows={part.rows} cellsOf={toCells} isLive={isLive} />;
});

/** A table of markdown. */
export const MarkdownTable = memo(function MarkdownTable({
  table,
  isLive = false,
}: {
  readonly table: Tokens.Table;
  readonly isLive?: boolean;
}) {
  return <Table headers={toMarkdownCells(table.header)} rows={table.rows} cellsOf={toMarkdownCells} isLive={isLive} />;
});

/** Rows in their own order, or in that of a column whose heading was pressed; a third press brings their own back. */
function Table<Row extends object>({ headers, rows, cellsOf, isLive }: TableProps<Row>) {
  const { t, language } = useChatTexts();
  const [order, setOrder] = useState<TableOrder | undefined>();
  const shown = useMemo(() => {
    if (!order) return rows;
    const sign = order.isDown ? -1 : 1;
    const textOf = (row: Row) => cellsOf(row)[order.column]?.text ?? '';
    const keys = new Map(rows.map((row) => [row, textOf(row)]));
    return rows.toSorted((a, b) => sign * compareCells(keys.get(a) ?? '', keys.get(b) ?? '', language));
  }, [rows, order, language, cellsOf]);
  const [first] = rows;
  const widths = useMemo(
    () =>
      columnWidths(
        headers.map(({ text }) => text),
        first ? cellsOf(first).map(({ text }) => text) : [],
      ),
    [headers, first, cellsOf],
  );
  // Its columns are as wide as its first row needs, so that none moves when others come: until that one is there, nothing is.
  if (isLive && rows.length < 2) return null;
  return (
    <ScrollBox label={t('part.table')} className="my-3 max-h-[32rem] rounded-lg border border-line">
      <table
        dir="auto"
        className="w-full table-fixed border-collapse text-start"
        style={{ minWidth: `${widths.reduce((sum, width) => sum + width, 0)}ch` }}
      >
        <Columns widths={widths} />
        {headers.length > 0 && <SortHeadings headers={headers} order={order} onOrder={setOrder} />}
        <tbody>
          {shown.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other name
            <TableRow key={index} row={row} cellsOf={cellsOf} />
          ))}
        </tbody>
      </table>
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
        // biome-ignore lint/suspicious/noArrayIndexKey: a column is what stands at its place
        <td key={column} dir="auto" className="px-3 py-2 align-top wrap-break-word">
          {content}
        </td>
      ))}
    </tr>
  );
}) as <Row extends object>(props: TableRowProps<Row>) => ReactNode;
