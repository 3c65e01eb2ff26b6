import { defaultRangeExtractor, type Range } from '@tanstack/react-virtual';
import { type FocusEvent, type KeyboardEvent, useLayoutEffect, useRef, useState } from 'react';
import { nextRow } from './next-row.ts';

/**
 * One stop of the Tab key for a whole list; arrows, Home and End lead through its rows. Rows carry `data-row` with their
 * index, and what is in them takes `tabIndex(index)`.
 * @param start the row that has the focus when the list appears; none when absent
 */
export function useRoving(count: number, start?: number) {
  const [wanted, setWanted] = useState(start ?? 0);
  const row = Math.max(0, Math.min(count - 1, wanted));
  const list = useRef<HTMLUListElement>(null);
  const isMoved = useRef(start !== undefined);
  useLayoutEffect(() => {
    if (!isMoved.current) return;
    // Of a list that appears no row is drawn at first.
    const target = list.current?.querySelector<HTMLElement>(`[data-row="${row}"] :is(a, button)`);
    if (!target) return;
    isMoved.current = false;
    target.focus();
  });
  const rowOf = (target: EventTarget) => (target as HTMLElement).closest<HTMLElement>('[data-row]')?.dataset['row'];
  return {
    tabIndex: (index: number) => (index === row ? 0 : -1),
    /** Keeps the row that Tab leads to in the document, however far away it was scrolled. */
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
