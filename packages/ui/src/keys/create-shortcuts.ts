import { useEffect } from 'react';

/** The properties of a keyboard event that shortcuts use. */
export type KeyPress = Pick<KeyboardEvent, 'key' | 'code' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'> & {
  /** True while the person types text: letters are no shortcuts then. */
  readonly isTyping: boolean;
};

/** Actions by shortcut: `mod+k` (Ctrl, or ⌘ on a Mac), `mod+shift+o`, `?`, or a sequence of two letters such as `g d`. */
export type Shortcuts = Readonly<Record<string, () => void>>;

/** Longest time between the two letters of a sequence. */
const SEQUENCE_MS = 1_000;

/** Creates a key handler. It returns true when a key press ran an action, so that the caller prevents the browser's default. */
export function createShortcuts(shortcuts: Shortcuts, nowMs: () => number): (press: KeyPress) => boolean {
  let first = { key: '', atMs: 0 };
  return (press) => {
    const { ctrlKey, metaKey, altKey, shiftKey, isTyping } = press;
    const letter = letterOf(press);
    const run = (name: string): boolean => {
      const action = Object.hasOwn(shortcuts, name) ? shortcuts[name] : undefined;
      action?.();
      return action !== undefined;
    };
    // Some keyboards need Shift to type other keys, such as the `/` of `mod+/`.
    if (ctrlKey || metaKey) return run(`mod+${shiftKey && /^[a-z]$/.test(letter) ? 'shift+' : ''}${letter}`);
    if (altKey || isTyping || letter.length !== 1) return false;
    const sequence = nowMs() - first.atMs <= SEQUENCE_MS ? `${first.key} ${letter}` : '';
    first = { key: letter, atMs: nowMs() };
    if (run(sequence)) {
      first = { key: '', atMs: 0 };
      return true;
    }
    return run(letter);
  };
}

/** Returns the letter at the key's position on a Latin keyboard, where the layout has another script. Source: UI Events, `code`. */
function letterOf({ key, code, shiftKey }: KeyPress): string {
  const isForeign = key.length === 1 && key > '\u007f';
  if (isForeign && code.startsWith('Key')) return code.slice('Key'.length).toLowerCase();
  if (isForeign && code === 'Slash') return shiftKey ? '?' : '/';
  return key.toLowerCase();
}

/** Handles page-wide shortcuts while its component is mounted. Pass a stable object: a new one subscribes again. */
export function useShortcuts(shortcuts: Shortcuts): void {
  useEffect(() => {
    const press = createShortcuts(shortcuts, () => performance.now());
    const onKeyDown = (event: KeyboardEvent) => {
      // Outside of a shadow root, `target` is its host and not the field in it.
      const [field] = event.composedPath();
      const isTyping =
        field instanceof Element && field.closest('input, textarea, select, [contenteditable="true"]') !== null;
      const { key, code, ctrlKey, metaKey, altKey, shiftKey } = event;
      if (press({ key, code, ctrlKey, metaKey, altKey, shiftKey, isTyping })) event.preventDefault();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, [shortcuts]);
}
