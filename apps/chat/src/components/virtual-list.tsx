import { defaultRangeExtractor, type Range, useVirtualizer } from '@tanstack/react-virtual';
import {
  type FocusEvent,
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';

export interface VirtualListProps<Row> {
  readonly label: string;
  readonly rows: readonly Row[];
  keyOf(row: Row): string;
  /** Returns the height of each row, in pixels. */
  rowPx(): number;
  /** Renders a row; its controls must take `tabIndex`. */
  draw(row: Row, tabIndex: number): ReactNode;
  /** True when `rows` is the whole list, so that screen readers can count it. */
  readonly isWhole?: boolean;
  /** Index of the row that has the focus when the list appears; -1 for none. */
  readonly start?: number;
  /** Called with the index of the last row near the viewport. Must be the same function on each render. */
  onLast?(index: number): void;
  /** Class names of the scroll container. */
  readonly className: string;
  /** Content above the rows, such as a placeholder for none. */
  readonly children?: ReactNode;
}

/**
 * A list of any number of rows; only visible rows are rendered. The list is one tab stop: arrows, Home and End move between
 * rows.
 */
export function VirtualList<Row>(props: VirtualListProps<Row>) {
  const { label, rows, keyOf, rowPx, draw, isWhole = false, start = -1, onLast, className, children } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const { tabIndex, rangeExtractor, list } = useRoving(rows.length, start);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: rowPx,
    getItemKey: (index) => (index < rows.length ? keyOf(rows[index] as Row) : index),
    overscan: 8,
    rangeExtractor,
  });
  const shown = virtual.getVirtualItems();
  const last = virtual.range?.endIndex ?? 0;
  useEffect(() => onLast?.(last), [last, onLast]);
  if (rows.length === 0 && children === undefined) return null;
  return (
    <div ref={scroller} className={className}>
      {children}
      <ul aria-label={label} className="relative" style={{ height: virtual.getTotalSize() }} {...list}>
        {shown.map(({ index, key, start: top, size }) => {
          const row = rows[index];
          return row === undefined ? null : (
            <li
              key={key}
              data-row={index}
              {...(isWhole && { 'aria-setsize': rows.length, 'aria-posinset': index + 1 })}
              className="absolute inset-x-0 top-0"
              style={{ height: size, transform: `translateY(${top}px)` }}
            >
              {draw(row, tabIndex(index))}
            </li>
          );
        })}
      </ul>
    </div>
  );
}

/** Roving tabindex over rows that have `data-row` with their index. */
function useRoving(count: number, start: number) {
  const [wanted, setWanted] = useState(Math.max(0, start));
  const row = Math.max(0, Math.min(count - 1, wanted));
  const list = useRef<HTMLUListElement>(null);
  const isMoved = useRef(start >= 0);
  useLayoutEffect(() => {
    if (!isMoved.current) return;
    // A list that has just appeared has no rendered rows yet.
    const target = list.current?.querySelector<HTMLElement>(`[data-row="${row}"] :is(a, button)`);
    if (!target) return;
    isMoved.current = false;
    target.focus();
  });
  const rowOf = (target: EventTarget) => (target as HTMLElement).closest<HTMLElement>('[data-row]')?.dataset['row'];
  return {
    tabIndex: (index: number) => (index === row ? 0 : -1),
    /** Keeps the row of the tab stop in the document even when it is scrolled out of view. */
    rangeExtractor: (range: Range) => {
      const shown = defaultRangeExtractor(range);
      return row < count && !shown.includes(row) ? [...shown, row].toSorted((a, b) => a - b) : shown;
    },
    list: {
      ref: list,
      onKeyDown(event: KeyboardEvent) {
        const from = rowOf(event.target);
        const isChord = event.ctrlKey || event.metaKey || event.altKey || event.shiftKey;
        const next = from === undefined || isChord ? undefined : nextRow(event.key, Number(from), count);
        if (next === undefined || event.defaultPrevented) return;
        event.preventDefault();
        isMoved.current = next !== row;
        setWanted(next);
      },
      onFocus(event: FocusEvent) {
        const index = rowOf(event.target);
        if (index !== undefined) setWanted(Number(index));
      },
    },
  } as const;
}

/** Returns the row that a navigation key moves to from `row` of `count`; undefined for other keys. Source: ARIA practices, listbox. */
export function nextRow(key: string, row: number, count: number): number | undefined {
  const last = count - 1;
  const moves: Readonly<Record<string, number>> = {
    ...{ ArrowDown: row + 1, ArrowUp: row - 1, PageDown: row + 10, PageUp: row - 10, Home: 0, End: last },
  };
  const target = Object.hasOwn(moves, key) ? moves[key] : undefined;
  return target === undefined || count === 0 ? undefined : Math.max(0, Math.min(last, target));
}
