import { useEffect } from 'react';
import { createShortcuts, type Shortcuts } from './create-shortcuts.ts';

/** Handles page-wide shortcuts while its component is mounted. Pass a stable object: a new one subscribes again. */
export function useShortcuts(shortcuts: Shortcuts): void {
  useEffect(() => {
    const press = createShortcuts(shortcuts, () => performance.now());
    const onKeyDown = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement | null;
      const isTyping = target?.closest('input, textarea, select, [contenteditable="true"]') != null;
      const { key, code, ctrlKey, metaKey, altKey, shiftKey } = event;
      if (press({ key, code, ctrlKey, metaKey, altKey, shiftKey, isTyping })) event.preventDefault();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, [shortcuts]);
}
