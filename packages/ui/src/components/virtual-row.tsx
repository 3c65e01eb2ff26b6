import { memo } from 'react';
import { classNames } from './class-names.ts';
import type { Column } from './column.ts';

export interface VirtualRowProps<Row> {
  readonly row: Row;
  readonly columns: readonly Column<Row>[];
  /** Index of the row, from 0. */
  readonly index: number;
  readonly topPx: number;
  readonly heightPx: number;
}

/** Class names of every row, including the heading row. */
export const ROW_CLASS =
  'grid items-center gap-4 px-1 [grid-template-columns:var(--narrow-tracks)] md:[grid-template-columns:var(--tracks)]';

export function cellClass({ isWideOnly }: Pick<Column<never>, 'isWideOnly'>): string {
  return classNames('min-w-0', isWideOnly && 'max-md:hidden');
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
export const VirtualRow = memo(Row) as typeof Row;
