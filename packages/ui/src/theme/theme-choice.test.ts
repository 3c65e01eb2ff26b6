import { describe, expect, test } from 'vitest';
import { applyThemeChoice, readThemeChoice } from './theme-choice.ts';

function open(theme?: string) {
  const values = new Map<string, string>();
  const root = { dataset: (theme === undefined ? {} : { theme }) as DOMStringMap };
  const storage = {
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => void values.set(key, value),
  };
  return { root, storage, values };
}

describe('the theme', () => {
  test('follows the device until the person chooses', () => {
    expect(readThemeChoice(open().storage)).toBe('system');
  });

  test.each(['light', 'dark'] as const)('is %s on the page and at the next visit', (choice) => {
    const { root, storage } = open();
    applyThemeChoice(choice, root, storage);
    expect(root.dataset['theme']).toBe(choice);
    expect(readThemeChoice(storage)).toBe(choice);
  });

  // Fails when the attribute stays: the page would keep the theme before.
  test('follows the device again', () => {
    const { root, storage } = open('dark');
    applyThemeChoice('system', root, storage);
    expect(root.dataset).toEqual({});
    expect(readThemeChoice(storage)).toBe('system');
  });

  test('is that of the device where an unknown one is stored', () => {
    const { storage, values } = open();
    values.set('berth.theme', 'sepia');
    expect(readThemeChoice(storage)).toBe('system');
  });
});
