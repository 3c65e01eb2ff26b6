import { useEffect, useRef } from 'react';

/** Popups of the parts that close by Escape themselves; a short message is a dialog that holds nothing up. */
const POPUPS =
  '[data-base-ui-portal] :is([role="dialog"]:not([aria-modal="false"]), [role="alertdialog"], [role="menu"], [role="listbox"])';

/** Escape closes what lies on top: `onEscape` runs when nothing above the page, and no field, has a use for it. */
export function useEscape(onEscape: (event: KeyboardEvent) => void): void {
  const latest = useRef(onEscape);
  latest.current = onEscape;
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.isComposing || event.defaultPrevented) return;
      const target = event.target as HTMLElement | null;
      // A field for searching is emptied by it.
      if (target instanceof HTMLInputElement && target.type === 'search' && target.value !== '') return;
      if (document.querySelector(POPUPS)) return;
      latest.current(event);
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, []);
}
