import { type Shortcuts, useShortcuts } from '@berth/ui';
import { useEffect, useMemo, useRef } from 'react';
import type { PageActions } from '../../page/page-actions.ts';
import { isPlainKey, PAGE_KEYS, type PageKey } from './page-keys.ts';

/** Listens for the keyboard shortcuts of the page while the component is mounted. */
export function usePageKeys(actions: PageActions, hasFiles: boolean, arePlainKeysOn: boolean): void {
  const latest = useRef(actions);
  latest.current = actions;
  const shortcuts = useMemo<Shortcuts>(() => {
    const work: Readonly<Record<PageKey, (() => void) | undefined>> = {
      palette: () => latest.current.open('palette'),
      newChat: () => latest.current.newChat(),
      files: hasFiles ? () => latest.current.toggleFiles('files') : undefined,
      message: () => latest.current.write(),
      keys: () => latest.current.open('keys'),
    };
    const all = (Object.entries(PAGE_KEYS) as [PageKey, string][]).map(([name, keys]) => [keys, work[name]] as const);
    const withHelp = [...all, ['?', work.keys] as const];
    const used = withHelp.filter(([keys, run]) => run !== undefined && (arePlainKeysOn || !isPlainKey(keys)));
    return Object.fromEntries(used) as Shortcuts;
  }, [hasFiles, arePlainKeysOn]);
  useShortcuts(shortcuts);
}

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
