import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { memo, type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { classNames } from './class-names.ts';

export interface VirtualTableProps<Row> {
  readonly label: string;
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  rowKey(row: Row): string;
  /** True for rows of two lines. */
  readonly isTall?: boolean;
  /** Called when the last row comes near the viewport. */
  onEnd?(): void;
}

const ROW_PX = 40;
/** Row height that leaves room for touch targets. */
const PHONE_ROW_PX = 48;
/** Height that rows of two lines have more. */
const SECOND_LINE_PX = 12;

const trackOf = ({ track = 'minmax(0,1fr)' }: Pick<Column<never>, 'track'>) => track;

/** A virtualized table with rows of equal height: only the rows in the viewport are in the document. */
export function VirtualTable<Row>({ label, rows, columns, rowKey, isTall, onEnd }: VirtualTableProps<Row>) {
  const bodyRef = useRef<HTMLDivElement>(null);
  const [topPx, setTopPx] = useState(0);
  // The media query is read once here rather than in each of ten thousand rows.
  const rowPx = (matchMedia('(width < 40rem)').matches ? PHONE_ROW_PX : ROW_PX) + (isTall ? SECOND_LINE_PX : 0);
  const virtualizer = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => rowPx,
    overscan: 10,
    scrollMargin: topPx,
  });
  useLayoutEffect(() => setTopPx(bodyRef.current?.offsetTop ?? 0), []);
  const shown = virtualizer.getVirtualItems();
  const isAtEnd = (shown.at(-1)?.index ?? -1) >= rows.length - 1;
  useEffect(() => {
    if (isAtEnd) onEnd?.();
  }, [isAtEnd, onEnd]);

  const narrow = columns.filter((column) => !column.isWideOnly);
  const tracks = {
    '--tracks': columns.map(trackOf).join(' '),
    '--narrow-tracks': narrow.map(trackOf).join(' '),
  } as React.CSSProperties;
  return (
    <div role="table" aria-label={label} aria-rowcount={rows.length + 1} style={tracks}>
      <div role="rowgroup">
        <div
          role="row"
          aria-rowindex={1}
          className={classNames(ROW_CLASS, 'h-8 border-b border-line text-xs text-ink-soft')}
        >
          {columns.map((column) => (
            <div key={column.title} role="columnheader" className={cellClass(column)}>
              <span className={classNames(column.isTitleHidden && 'sr-only')}>{column.title}</span>
            </div>
          ))}
        </div>
      </div>
      <div role="rowgroup" ref={bodyRef} className="relative" style={{ height: virtualizer.getTotalSize() }}>
        {shown.map(({ index, start, size }) => {
          const row = rows[index] as Row;
          return (
            <VirtualRow
              key={rowKey(row)}
              row={row}
              columns={columns}
              index={index}
              topPx={start - topPx}
              heightPx={size}
            />
          );
        })}
      </div>
    </div>
  );
}

interface VirtualRowProps<Row> {
  readonly row: Row;
  readonly columns: readonly Column<Row>[];
  /** Index of the row, from 0. */
  readonly index: number;
  readonly topPx: number;
  readonly heightPx: number;
}

/** Class names of every row, including the heading row. */
const ROW_CLASS =
  'grid items-center gap-4 px-1 [grid-template-columns:var(--narrow-tracks)] md:[grid-template-columns:var(--tracks)]';

function cellClass({ isWideOnly, isNumeric }: Pick<Column<never>, 'isWideOnly' | 'isNumeric'>): string {
  return classNames('min-w-0', isWideOnly && 'max-md:hidden', isNumeric && 'text-end');
}

function Row<Content>({ row, columns, index, topPx, heightPx }: VirtualRowProps<Content>) {
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      style={{ transform: `translateY(${topPx}px)`, height: heightPx }}
      className={classNames(ROW_CLASS, 'absolute inset-x-0 top-0 border-b border-line')}
    >
      {columns.map((column) => (
        <div
          key={column.title}
          role="cell"
          className={classNames(cellClass(column), !column.isTitleHidden && 'truncate')}
        >
          {column.cell(row)}
        </div>
      ))}
    </div>
  );
}

/** A row of a virtual table, memoized: scrolling renders only rows that enter the viewport. */
const VirtualRow = memo(Row) as typeof Row;

/** A column of a table. */
export interface Column<Row> {
  /** Unique within the table. */
  readonly title: string;
  /** True for a column of buttons: only screen readers get its title. */
  readonly isTitleHidden?: boolean;
  /** Width of the column as a CSS grid track, e.g. `minmax(0,2fr)`. Defaults to one share of the free width. */
  readonly track?: string;
  /** True for a column of numbers, which are compared digit by digit: they end at the same edge. */
  readonly isNumeric?: boolean;
  /** True for a column that phones don't show. */
  readonly isWideOnly?: boolean;
  cell(row: Row): ReactNode;
}
