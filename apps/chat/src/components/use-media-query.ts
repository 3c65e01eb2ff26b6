import { useSyncExternalStore } from 'react';

/** Where a drawer lies over the page, and where fingers point. */
export const NARROW = { list: '(width < 48rem)', files: '(width < 64rem)', phone: '(width < 40rem)' } as const;

/** Whether the window is as the media query says, now and after each change. */
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
