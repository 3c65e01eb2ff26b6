import type { ReactNode } from 'react';

/** A column of a table. */
export interface Column<Row> {
  /** Unique within the table. */
  readonly title: string;
  /** True for a column of buttons: only screen readers get its title. */
  readonly isTitleHidden?: boolean;
  /** Width of the column as a CSS grid track, e.g. `minmax(0,2fr)`. Defaults to one share of the free width. */
  readonly track?: string;
  /** True for a column that phones don't show. */
  readonly isWideOnly?: boolean;
  cell(row: Row): ReactNode;
}
