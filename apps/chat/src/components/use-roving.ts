import { defaultRangeExtractor, type Range } from '@tanstack/react-virtual';
import { type FocusEvent, type KeyboardEvent, useLayoutEffect, useRef, useState } from 'react';
import { nextRow } from './next-row.ts';

/**
 * Roving tabindex: the list is one tab stop; arrows, Home and End move between rows. Rows have `data-row` with their index, and
 * the controls in them take `tabIndex(index)`.
 * @param start the row that has the focus when the list appears; none when absent
 */
export function useRoving(count: number, start?: number) {
  const [wanted, setWanted] = useState(start ?? 0);
  const row = Math.max(0, Math.min(count - 1, wanted));
  const list = useRef<HTMLUListElement>(null);
  const isMoved = useRef(start !== undefined);
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
