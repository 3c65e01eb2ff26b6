import { type RefObject, useLayoutEffect } from 'react';

/**
 * Gives a pane the focus when it is shown, and gives it back after. A modal one, a drawer over the page, makes what is
 * beside it unreachable: but what carries `data-beside`, a ground to press on.
 */
export function useDrawer(pane: RefObject<HTMLElement | null>, isShown: boolean, isModal: boolean): void {
  useLayoutEffect(() => {
    const node = pane.current;
    if (!isShown || !node) return;
    const before = document.activeElement;
    node.focus({ preventScroll: true });
    return () => {
      // Only once the rest can be reached again. Whoever went elsewhere meanwhile stays there.
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
