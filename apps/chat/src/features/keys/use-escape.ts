import { useEffect, useRef } from 'react';

/** Popups that handle Escape themselves. Toasts are non-modal dialogs and do not count. */
const POPUPS =
  '[data-base-ui-portal] :is([role="dialog"]:not([aria-modal="false"]), [role="alertdialog"], [role="menu"], [role="listbox"])';

/** Calls `onEscape` when Escape is pressed and neither a popup nor a search field handles the key. */
export function useEscape(onEscape: (event: KeyboardEvent) => void): void {
  const latest = useRef(onEscape);
  latest.current = onEscape;
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.isComposing || event.defaultPrevented) return;
      const target = event.target as HTMLElement | null;
      // Escape clears a search field.
      if (target instanceof HTMLInputElement && target.type === 'search' && target.value !== '') return;
      if (document.querySelector(POPUPS)) return;
      latest.current(event);
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, []);
}
