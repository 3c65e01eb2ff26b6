import type { TablePart } from '@berth/contract/agent';
import type { Tokens } from 'marked';
import { memo, type ReactNode, useCallback, useMemo, useState } from 'react';
import { isNumeric } from '../../../components/compare-cells.ts';
import { directionOf } from '../../../components/direction-of.ts';
import { ScrollBox } from '../../../components/scroll-box.tsx';
import {
  ALIGNED,
  type Alignment,
  type Cell,
  SortableTable,
  useSortedRows,
} from '../../../components/sortable-table.tsx';
import { useChatTexts } from '../../../text/use-chat-texts.ts';
import { Inline } from './inline-view.tsx';

/** Props of a table with any kind of row; the same row object is not rendered again. */
interface TableProps<Row extends object> {
  readonly headers: readonly Cell[];
  readonly rows: readonly Row[];
  /** Returns the cells of a row; must be the same function on each render. */
  readonly cellsOf: (row: Row) => readonly Cell[];
  readonly alignments?: readonly (Alignment | undefined)[];
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
  const { header, rows, align } = table;
  const alignments = useMemo(() => align.map((one) => (one === null ? undefined : ALIGNMENTS[one])), [align]);
  return <Table headers={toMarkdownCells(header)} cellsOf={toMarkdownCells} {...{ rows, alignments, isLive }} />;
});

/** The alignments of GitHub's Markdown. A table from right to left mirrors them with its columns. */
const ALIGNMENTS = { left: 'start', center: 'center', right: 'end' } as const;

/** A table sortable by column; a third press on a heading restores the original order. */
function Table<Row extends object>(props: TableProps<Row>) {
  // Rows set the column widths, so that columns never move: wait until the first row is complete.
  return props.isLive && props.rows.length < 2 ? null : <ReadyTable {...props} />;
}

/** Number of rows whose texts set the column widths. */
const MEASURED_ROWS = 30;

function ReadyTable<Row extends object>({ headers, rows, cellsOf, alignments: given, isLive }: TableProps<Row>) {
  const { t } = useChatTexts();
  const textOf = useCallback((row: Row, column: number) => cellsOf(row)[column]?.text ?? '', [cellsOf]);
  const { shown, ...sorting } = useSortedRows(rows, textOf);
  // The last row of a growing table is incomplete.
  const [measured] = useState(() =>
    rows.slice(0, isLive ? -1 : MEASURED_ROWS).map((row) => cellsOf(row).map(({ text }) => text)),
  );
  const { length } = headers;
  // Numbers end at the same edge, unless the answer says otherwise.
  const alignments = useMemo(() => {
    const isOfNumbers = (column: number) => isNumeric(measured.map((row) => row[column] ?? ''));
    return Array.from({ length }, (_, column) => given?.[column] ?? (isOfNumbers(column) ? 'end' : 'start'));
  }, [length, given, measured]);
  const words = [headers.map(({ text }) => text), ...measured].flat().join(' ');
  return (
    <ScrollBox
      label={t('part.table')}
      dir={directionOf(words)}
      className="my-3 max-h-[32rem] rounded-lg border border-line"
    >
      <SortableTable {...{ headers, measured, alignments, ...sorting }}>
        {shown.map((row, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows have no ID
          <TableRow key={index} {...{ row, cellsOf, alignments }} />
        ))}
      </SortableTable>
    </ScrollBox>
  );
}

interface TableRowProps<Row extends object> {
  readonly row: Row;
  readonly cellsOf: (row: Row) => readonly Cell[];
  readonly alignments: readonly Alignment[];
}

const TableRow = memo(function TableRow<Row extends object>({ row, cellsOf, alignments }: TableRowProps<Row>) {
  return (
    <tr className="border-b border-line last:border-0">
      {cellsOf(row).map(({ content }, column) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: columns have no ID and never change places
        <td key={column} className={`px-3 py-2 align-top wrap-break-word ${ALIGNED[alignments[column] ?? 'start']}`}>
          <bdi>{content}</bdi>
        </td>
      ))}
    </tr>
  );
}) as <Row extends object>(props: TableRowProps<Row>) => ReactNode;
