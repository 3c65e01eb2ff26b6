import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { classNames } from './class-names.ts';
import type { Column } from './column.ts';
import { cellClass, ROW_CLASS, VirtualRow } from './virtual-row.tsx';

export interface VirtualTableProps<Row> {
  readonly label: string;
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  rowKey(row: Row): string;
  /** Called when the last row comes near the viewport. */
  onEnd?(): void;
}

const ROW_PX = 40;
/** Row height that leaves room for touch targets. */
const PHONE_ROW_PX = 48;

const trackOf = ({ track = 'minmax(0,1fr)' }: Pick<Column<never>, 'track'>) => track;

/** A virtualized table with rows of equal height: only the rows in the viewport are in the document. */
export function VirtualTable<Row>({ label, rows, columns, rowKey, onEnd }: VirtualTableProps<Row>) {
  const bodyRef = useRef<HTMLDivElement>(null);
  const [topPx, setTopPx] = useState(0);
  // The media query is read once here rather than in each of ten thousand rows.
  const rowPx = matchMedia('(width < 40rem)').matches ? PHONE_ROW_PX : ROW_PX;
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
