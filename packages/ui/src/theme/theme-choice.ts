/** Themes to choose from; `system` follows the device. */
export type ThemeChoice = 'system' | 'light' | 'dark';

export const THEME_CHOICES: readonly ThemeChoice[] = ['system', 'light', 'dark'];

const STORED_AS = 'berth.theme';

/** Reads the theme stored in this browser. */
export function readThemeChoice(storage: Pick<Storage, 'getItem'>): ThemeChoice {
  const stored = storage.getItem(STORED_AS);
  return THEME_CHOICES.find((choice) => choice === stored) ?? 'system';
}

/** Applies the theme and stores it for the next visit. */
export function applyThemeChoice(
  choice: ThemeChoice,
  root: { readonly dataset: DOMStringMap },
  storage: Pick<Storage, 'setItem'>,
): void {
  if (choice === 'system') delete root.dataset['theme'];
  else root.dataset['theme'] = choice;
  storage.setItem(STORED_AS, choice);
}
