import { expect, it } from 'vitest';
import { isPlainKey, keepPlainKeys, PAGE_KEYS, readPlainKeys, writeKeys } from './page-keys.ts';

it('writes keys as they stand on the device', () => {
  expect(writeKeys('mod+shift+o', false)).toBe('Ctrl Shift O');
  expect(writeKeys('mod+shift+o', true)).toBe('⌘ ⇧ O');
  expect(writeKeys('/', false)).toBe('/');
});

it('remembers that keys without Ctrl are off', () => {
  const stored = new Map<string, string>();
  const storage = {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
  };
  expect(readPlainKeys(storage)).toBe(true);
  keepPlainKeys(false, storage);
  expect(readPlainKeys(storage)).toBe(false);
  expect(Object.values(PAGE_KEYS).filter(isPlainKey)).toEqual(['/']);
});
