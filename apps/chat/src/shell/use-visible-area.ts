import { useEffect } from 'react';
import { followVisibleArea } from './visible-area.ts';

/** Keeps the page above an on-screen keyboard. */
export function useVisibleArea(): void {
  useEffect(() => {
    const { visualViewport } = window;
    if (!visualViewport) return;
    return followVisibleArea(visualViewport, document.documentElement.style, () => window.innerHeight);
  }, []);
}
