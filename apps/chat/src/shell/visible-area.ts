import { useEffect } from 'react';

/** The properties of `VisualViewport` that are used here. */
export type VisibleViewport = Pick<
  VisualViewport,
  'height' | 'offsetTop' | 'scale' | 'addEventListener' | 'removeEventListener'
>;

/** Smaller differences are a browser toolbar that slides in and out, not a keyboard. */
const LEAST_KEYBOARD_PX = 80;

/**
 * Sets CSS variables to the area that an on-screen keyboard leaves visible, for browsers whose keyboard covers the page:
 * `--visible-height`, `--visible-shift` (its offset) and `--keyboard-height`. None is set while nothing is covered or the page
 * is zoomed in. Returns a function that stops it.
 */
export function followVisibleArea(
  viewport: VisibleViewport,
  style: Pick<CSSStyleDeclaration, 'setProperty' | 'removeProperty'>,
  windowHeight: () => number,
): () => void {
  const look = () => {
    const { height, offsetTop, scale } = viewport;
    const coveredPx = scale === 1 ? Math.round(windowHeight() - height) : 0;
    const isCovered = coveredPx >= LEAST_KEYBOARD_PX;
    const set = (name: string, value: string) =>
      isCovered ? style.setProperty(name, value) : style.removeProperty(name);
    set('--visible-height', `${Math.round(height)}px`);
    set('--visible-shift', `translateY(${Math.round(offsetTop)}px)`);
    set('--keyboard-height', `${Math.max(0, coveredPx - Math.round(offsetTop))}px`);
  };
  look();
  for (const type of ['resize', 'scroll']) viewport.addEventListener(type, look);
  return () => {
    for (const type of ['resize', 'scroll']) viewport.removeEventListener(type, look);
  };
}

/** Keeps the page above an on-screen keyboard. */
export function useVisibleArea(): void {
  useEffect(() => {
    const { visualViewport } = window;
    if (!visualViewport) return;
    return followVisibleArea(visualViewport, document.documentElement.style, () => window.innerHeight);
  }, []);
}
