import { useWindowVirtualizer, type VirtualItem, type Virtualizer } from '@tanstack/react-virtual';
import { type RefObject, useLayoutEffect, useRef, useState } from 'react';

/** Virtualizes rows of unknown heights that scroll with the window. Rendered by {@link WindowRows}. */
export interface RowsInWindow {
  readonly bodyRef: RefObject<HTMLDivElement | null>;
  /** Pixels from the top of the document to the first row; 0 until the page is laid out. */
  readonly topPx: number;
  readonly virtualizer: Virtualizer<Window, Element>;
  readonly shown: readonly VirtualItem[];
}

export interface WindowRowsOptions {
  readonly count: number;
  /** Estimated height of a collapsed row, in pixels. */
  readonly rowPx: number;
  /** Rows rendered beyond the viewport, on each side. */
  readonly overscan: number;
  /** Keeps the scroll position when rows are added above. */
  keyOf(index: number): string | number;
}

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
