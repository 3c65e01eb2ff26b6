import type { ReactNode } from 'react';
import type { RowsInWindow } from './use-window-rows.ts';

export interface WindowRowsProps {
  readonly rows: RowsInWindow;
  /** Renders the row at an index. */
  children(index: number): ReactNode;
}

export function WindowRows({ rows: { bodyRef, topPx, virtualizer, shown }, children }: WindowRowsProps) {
  return (
    <div ref={bodyRef} className="relative border-t border-line" style={{ height: virtualizer.getTotalSize() }}>
      {shown.map(({ key, index, start }) => (
        <div
          key={key}
          ref={virtualizer.measureElement}
          data-index={index}
          style={{ transform: `translateY(${start - topPx}px)` }}
          className="absolute inset-x-0 top-0"
        >
          {children(index)}
        </div>
      ))}
    </div>
  );
}
