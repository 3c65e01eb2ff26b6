import { useSyncExternalStore } from 'react';

/** Media queries for the layouts where a drawer covers the page, and for touch. */
export const NARROW = { list: '(width < 48rem)', files: '(width < 64rem)', phone: '(width < 40rem)' } as const;

/** Returns whether the media query matches, and renders again when that changes. */
export function useMediaQuery(query: string): boolean {
  return useSyncExternalStore(
    (listener) => {
      const list = matchMedia(query);
      list.addEventListener('change', listener);
      return () => list.removeEventListener('change', listener);
    },
    () => matchMedia(query).matches,
  );
}
