/** What a key event tells that matters here. */
export type KeyPress = Pick<KeyboardEvent, 'key' | 'code' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'> & {
  /** Whether text is being written, where letters are letters. */
  readonly isTyping: boolean;
};

/** What keys do: `mod+k` (Ctrl, or ⌘ on a Mac), `mod+shift+o`, `?`, or two letters after another such as `g d`. */
export type Shortcuts = Readonly<Record<string, () => void>>;

/** Two letters belong together when the second comes this soon. */
const SEQUENCE_MS = 1_000;

/** Answers whether a key press did something, so that the browser's own meaning of it is held back. */
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
    // Of other keys Shift is the way to write them, on some keyboards: `mod+/`.
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

/** What a Latin keyboard has at the place of the key, where the layout writes another script. Source: UI Events, `code`. */
function letterOf({ key, code, shiftKey }: KeyPress): string {
  const isForeign = key.length === 1 && key > '\u007f';
  if (isForeign && code.startsWith('Key')) return code.slice('Key'.length).toLowerCase();
  if (isForeign && code === 'Slash') return shiftKey ? '?' : '/';
  return key.toLowerCase();
}
