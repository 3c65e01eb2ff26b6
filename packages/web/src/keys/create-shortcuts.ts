/** What a key event tells that matters here. */
export type KeyPress = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey'> & {
  /** Whether text is being written, where letters are letters. */
  readonly isTyping: boolean;
};

/** What keys do: `mod+k` (Ctrl, or ⌘ on a Mac), `?`, or two letters after another such as `g d`. */
export type Shortcuts = Readonly<Record<string, () => void>>;

/** Two letters belong together when the second comes this soon. */
const SEQUENCE_MS = 1_000;

/** Answers whether a key press did something, so that the browser's own meaning of it is held back. */
export function createShortcuts(shortcuts: Shortcuts, nowMs: () => number): (press: KeyPress) => boolean {
  let first = { key: '', atMs: 0 };
  return ({ key, ctrlKey, metaKey, altKey, isTyping }) => {
    const letter = key.toLowerCase();
    const run = (name: string): boolean => {
      const action = Object.hasOwn(shortcuts, name) ? shortcuts[name] : undefined;
      action?.();
      return action !== undefined;
    };
    if (ctrlKey || metaKey) return run(`mod+${letter}`);
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
