/** What keys do on the page, in the order in which they are explained. */
export const PAGE_KEYS = {
  palette: 'mod+k',
  newChat: 'mod+shift+o',
  files: 'mod+shift+f',
  message: '/',
  keys: 'mod+/',
} as const;

export type PageKey = keyof typeof PAGE_KEYS;

/** Those without Ctrl, which who speaks to the device, or types by chance, may want to be off. Source: WCAG 2.2, 2.1.4. */
export const isPlainKey = (keys: string) => keys.length === 1;

/** `mod+shift+o` as it stands on the keys of this device. */
export function writeKeys(keys: string, isMac: boolean): string {
  const names: Readonly<Record<string, string>> = isMac ? { mod: '⌘', shift: '⇧' } : { mod: 'Ctrl', shift: 'Shift' };
  return keys
    .split('+')
    .map((part) => names[part] ?? part.toUpperCase())
    .join(' ');
}

const STORED_AS = 'berth.plainKeys';

export function readPlainKeys(storage: Pick<Storage, 'getItem'>): boolean {
  return storage.getItem(STORED_AS) !== 'off';
}

export function keepPlainKeys(areOn: boolean, storage: Pick<Storage, 'setItem'>): void {
  storage.setItem(STORED_AS, areOn ? 'on' : 'off');
}
