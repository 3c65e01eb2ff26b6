import { useWindowVirtualizer, type VirtualItem, type Virtualizer } from '@tanstack/react-virtual';
import { type ReactNode, type RefObject, useLayoutEffect, useRef, useState } from 'react';

/** Virtualizes rows of unknown heights that scroll with the window. Rendered by {@link WindowRows}. */
interface RowsInWindow {
  readonly bodyRef: RefObject<HTMLDivElement | null>;
  /** Pixels from the top of the document to the first row; 0 until the page is laid out. */
  readonly topPx: number;
  readonly virtualizer: Virtualizer<Window, Element>;
  readonly shown: readonly VirtualItem[];
}

interface WindowRowsOptions {
  readonly count: number;
  /** Estimated height of a collapsed row, in pixels. */
  readonly rowPx: number;
  /** Rows rendered beyond the viewport, on each side. */
  readonly overscan: number;
  /** Keeps the scroll position when rows are added above. */
  keyOf(index: number): string | number;
}

/** Returns the rows to render with {@link WindowRows}. */
export function useWindowRows({ count, rowPx, overscan, keyOf }: WindowRowsOptions): RowsInWindow {
  const bodyRef = useRef<HTMLDivElement>(null);
  const [topPx, setTopPx] = useState(0);
  const virtualizer = useWindowVirtualizer({
    count,
    estimateSize: () => rowPx,
    overscan,
    scrollMargin: topPx,
    getItemKey: keyOf,
  });
  useLayoutEffect(() => setTopPx((bodyRef.current?.getBoundingClientRect().top ?? 0) + scrollY), []);
  return { bodyRef, topPx, virtualizer, shown: virtualizer.getVirtualItems() };
}

interface WindowRowsProps {
  readonly rows: RowsInWindow;
  /** Renders the row at an index. */
  children(index: number): ReactNode;
}

/** The rows of the window that are in the viewport. */
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
