import { type RefObject, useLayoutEffect } from 'react';

/**
 * Focuses a pane when it opens and restores the focus when it closes. A modal pane (a drawer over the page) makes its siblings
 * inert, except elements with `data-beside`, such as its backdrop.
 */
export function useDrawer(pane: RefObject<HTMLElement | null>, isShown: boolean, isModal: boolean): void {
  useLayoutEffect(() => {
    const node = pane.current;
    if (!isShown || !node) return;
    const before = document.activeElement;
    node.focus({ preventScroll: true });
    return () => {
      // The siblings must be reachable first. A focus that moved elsewhere meanwhile stays there.
      queueMicrotask(() => {
        const now = document.activeElement;
        const isLeft = now === null || now === document.body || node.contains(now);
        if (isLeft && before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
      });
    };
  }, [pane, isShown]);
  useLayoutEffect(() => {
    const node = pane.current;
    if (!isShown || !isModal || !node?.parentElement) return;
    const others = [...node.parentElement.children].filter(
      (one): one is HTMLElement =>
        one instanceof HTMLElement && one !== node && !one.inert && !('beside' in one.dataset),
    );
    for (const one of others) one.inert = true;
    return () => {
      for (const one of others) one.inert = false;
    };
  }, [pane, isShown, isModal]);
}
