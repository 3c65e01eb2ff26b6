import type { ReactNode } from 'react';

/** A column of a table. */
export interface Column<Row> {
  readonly key: string;
  readonly title: string;
  /** For a column of buttons, whose title only screen readers need. */
  readonly isTitleHidden?: boolean;
  /** Its share of the width: a track of a CSS grid, e.g. `minmax(0,2fr)`. */
  readonly track: string;
  /** Left out on phones. */
  readonly isWideOnly?: boolean;
  cell(row: Row): ReactNode;
}
