// @vitest-environment happy-dom
import { beforeEach, describe, expect, test } from 'vitest';
import { setupView } from '../render-view.test-support.ts';
import { useLook } from './use-look.ts';

const { dataset } = document.documentElement;
beforeEach(() => localStorage.clear());

describe('the theme', () => {
  // Fails when a choice isn't kept, or is only applied at the next visit.
  test('is applied at once and kept', () => {
    const { call } = setupView();
    expect(call(useLook).theme).toBe('system');
    call(useLook).setTheme('dark');
    expect([dataset['theme'], call(useLook).theme]).toEqual(['dark', 'dark']);
    call(useLook).setTheme('system');
    expect(dataset['theme']).toBeUndefined();
  });

  test('has a name for each choice, in the language that is shown', () => {
    const named = (language: 'en' | 'ar') => setupView({ language }).call(useLook).themes;
    expect(named('en').map(({ value }) => value)).toEqual(['system', 'light', 'dark']);
    expect(named('en').map(({ label }) => label)).not.toEqual(named('ar').map(({ label }) => label));
  });
});

describe('the language', () => {
  // Fails when the choice is lost with the page.
  test('is kept, and named in itself', () => {
    const { call } = setupView();
    const { language, languages, setLanguage } = call(useLook);
    expect(language).toBe('en');
    expect(languages).toEqual([
      { value: 'en', label: 'English' },
      { value: 'ar', label: 'العربية' },
    ]);
    setLanguage('ar');
    expect(Object.values(localStorage)).toContain('ar');
  });
});
