import { type RefObject, useEffect, useRef } from 'react';

/** Part of a pixel that browsers leave at the end of a scroll on zoomed pages. */
const SLACK_PX = 1;

/**
 * Returns a ref for a row that scrolls sideways. Its `data-more` names the sides, `left` and `right`, where content is out of view; the utility `fade-edges`
 * fades them.
 */
export function useScrollEdges<Row extends HTMLElement>(): RefObject<Row | null> {
  const ref = useRef<Row>(null);
  useEffect(() => {
    const row = ref.current;
    if (!row) return;
    const mark = () => {
      const sides = hiddenSides(row, getComputedStyle(row).direction === 'rtl');
      if (row.dataset['more'] !== sides) row.dataset['more'] = sides;
    };
    const resized = new ResizeObserver(mark);
    resized.observe(row);
    for (const child of row.children) resized.observe(child);
    row.addEventListener('scroll', mark, { passive: true });
    mark();
    return () => {
      resized.disconnect();
      row.removeEventListener('scroll', mark);
    };
  }, []);
  return ref;
}

/** Returns the sides where content is out of view. `scrollLeft` is 0 at the start of the row and negative behind it in right-to-left rows. */
export function hiddenSides(
  row: Pick<HTMLElement, 'scrollLeft' | 'scrollWidth' | 'clientWidth'>,
  isRightToLeft: boolean,
): '' | 'left' | 'right' | 'left right' {
  const hiddenPx = row.scrollWidth - row.clientWidth;
  const leftPx = isRightToLeft ? hiddenPx + row.scrollLeft : row.scrollLeft;
  const hasLeft = leftPx > SLACK_PX;
  const hasRight = hiddenPx - leftPx > SLACK_PX;
  if (hasLeft) return hasRight ? 'left right' : 'left';
  return hasRight ? 'right' : '';
}
