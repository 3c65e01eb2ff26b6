/** The keyboard shortcuts of the page, in the order of the help dialog. */
export const PAGE_KEYS = {
  palette: 'mod+k',
  newChat: 'mod+shift+o',
  files: 'mod+shift+f',
  message: '/',
  keys: 'mod+/',
} as const;

/** The name of a keyboard shortcut. */
export type PageKey = keyof typeof PAGE_KEYS;

/**
 * Returns true for a shortcut without a modifier key. People can turn these off, because speech input and accidental typing can
 * trigger them. Source: WCAG 2.2, 2.1.4.
 */
export const isPlainKey = (keys: string) => keys.length === 1;

/** Formats a shortcut such as `mod+shift+o` with the key labels of the platform, e.g. `Ctrl Shift O`. */
export function writeKeys(keys: string, isMac: boolean): string {
  const names: Readonly<Record<string, string>> = isMac ? { mod: '⌘', shift: '⇧' } : { mod: 'Ctrl', shift: 'Shift' };
  return keys
    .split('+')
    .map((part) => names[part] ?? part.toUpperCase())
    .join(' ');
}

const STORED_AS = 'berth.plainKeys';

/** Returns true unless the person turned off shortcuts without a modifier key. */
export function readPlainKeys(storage: Pick<Storage, 'getItem'>): boolean {
  return storage.getItem(STORED_AS) !== 'off';
}

/** Stores the choice that {@link readPlainKeys} returns. */
export function keepPlainKeys(areOn: boolean, storage: Pick<Storage, 'setItem'>): void {
  storage.setItem(STORED_AS, areOn ? 'on' : 'off');
}

/** True on Apple platforms, whose keyboards have ⌘ in place of Ctrl. */
export const IS_MAC = navigator.platform.startsWith('Mac') || /iPhone|iPad/.test(navigator.platform);
