import { type ReactNode, type RefObject, useEffect, useRef } from 'react';
import type { Direction } from './direction-of.ts';

export interface ScrollBoxProps {
  /** Accessible name of the scrollable region. */
  readonly label: string;
  readonly className?: string;
  readonly dir?: Direction | 'auto' | undefined;
  readonly children: ReactNode;
}

/** A scrollable region that the keyboard can focus. A shadow marks each side on which there is more. */
export function ScrollBox({ label, className = '', dir, children }: ScrollBoxProps) {
  const box = useRef<HTMLDivElement>(null);
  useHiddenSides(box);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields
    <div
      ref={box}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
      tabIndex={0}
      role="group"
      aria-label={label}
      dir={dir}
      className={`scroll-box overflow-auto ${className}`}
    >
      {children}
    </div>
  );
}

/** Names the sides on which content is hidden in the element's `data-more`, for `.scroll-box` of page.css. */
export function useHiddenSides(box: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const mark = () => {
      element.dataset['more'] = hiddenSides(element, getComputedStyle(element).direction === 'rtl').join(' ');
    };
    const sizes = new ResizeObserver(mark);
    for (const one of [element, ...element.children]) sizes.observe(one);
    element.addEventListener('scroll', mark, { passive: true });
    return () => {
      sizes.disconnect();
      element.removeEventListener('scroll', mark);
    };
  }, [box]);
}

type Scroller = Pick<HTMLElement, 'scrollLeft' | 'scrollWidth' | 'clientWidth'>;

/** Returns the sides on which content is hidden. From right to left, `scrollLeft` counts down from 0. */
export function hiddenSides({ scrollLeft, scrollWidth, clientWidth }: Scroller, isRightToLeft: boolean) {
  const most = scrollWidth - clientWidth;
  const left = isRightToLeft ? most + scrollLeft : scrollLeft;
  // Scroll positions may be fractions.
  return [...(left >= 1 ? ['left'] : []), ...(most - left >= 1 ? ['right'] : [])];
}
