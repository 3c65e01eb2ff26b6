/** Of `VisualViewport` what is used here. */
export type VisibleViewport = Pick<
  VisualViewport,
  'height' | 'offsetTop' | 'scale' | 'addEventListener' | 'removeEventListener'
>;

/** Less is a toolbar of the browser that comes and goes. */
const LEAST_KEYBOARD_PX = 80;

/**
 * Keeps what an on-screen keyboard leaves of the window in variables of `style`, for browsers that lay it over the page:
 * `--visible-height`, `--visible-shift` (where it begins) and `--keyboard-height`. None is set while nothing is covered,
 * nor for who has zoomed in. Answers what ends it.
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
