import { type Shortcuts, useShortcuts } from '@berth/ui';
import { useMemo, useRef } from 'react';
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
