import { useWindowVirtualizer, type VirtualItem, type Virtualizer } from '@tanstack/react-virtual';
import { type RefObject, useLayoutEffect, useRef, useState } from 'react';

/** Rows of unknown heights that scroll with the window; only those in it are in the document. For {@link WindowRows}. */
export interface RowsInWindow {
  readonly bodyRef: RefObject<HTMLDivElement | null>;
  /** From the top of the document to the first row; 0 until the page is laid out. */
  readonly topPx: number;
  readonly virtualizer: Virtualizer<Window, Element>;
  readonly shown: readonly VirtualItem[];
}

export interface WindowRowsOptions {
  readonly count: number;
  /** Of a row that is not expanded. */
  readonly rowPx: number;
  /** Rows beyond the window, at each side. */
  readonly overscan: number;
  /** Rows that come above leave what is read where it is. */
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
