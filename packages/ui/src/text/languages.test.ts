import { describe, expect, test } from 'vitest';
import { chooseLanguage, directionOf, keepLanguage } from './languages.ts';

const stored = (value: string | null) => ({ getItem: () => value });

describe('the language', () => {
  test.each([
    ['is what the person chose', 'ar', ['en'], 'ar'],
    ['is the first that the browser prefers and the page has', null, ['fr-FR', 'ar-EG', 'en'], 'ar'],
    ['is English where the page has none of them', null, ['fr', 'de'], 'en'],
    ['is English without a preference', null, [], 'en'],
    ['is not a choice that the page no longer has', 'xx', ['ar'], 'ar'],
    ['is chosen whatever the case of the tag', null, ['AR-sa'], 'ar'],
    // Fails when the tag is looked up in an object with a prototype.
    ['is no name of an object’s own methods', 'constructor', ['toString'], 'en'],
  ] as const)('%s', (_, choice, preferred, language) => {
    expect(chooseLanguage(stored(choice), preferred)).toBe(language);
  });

  test('is kept for the next visit', () => {
    const values = new Map<string, string>();
    keepLanguage('ar', { setItem: (key, value) => void values.set(key, value) });
    expect(chooseLanguage({ getItem: (key) => values.get(key) ?? null }, ['en'])).toBe('ar');
  });

  test('has its direction', () => {
    expect([directionOf('en'), directionOf('ar')]).toEqual(['ltr', 'rtl']);
  });
});
