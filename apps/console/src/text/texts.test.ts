import { AUDIT_ACTIONS } from '@berth/contract/audit-actions';
import type { Message } from '@berth/ui';
import { describe, expect, test } from 'vitest';
import { ar } from './ar/index.ts';
import { en } from './en/index.ts';

const KEYS = Object.keys(en) as (keyof typeof en)[];
const formsOf = (message: Message): Record<string, string> =>
  typeof message === 'string' ? { other: message } : { ...message };
const valuesOf = (text: string) => [...new Set(text.match(/\{\w+\}/g))].toSorted();

// Fails when a language has a text that the other one lacks; the compiler sees only those that are missing in Arabic.
test('both languages have the same texts', () => {
  expect(Object.keys(ar).toSorted()).toEqual([...KEYS].toSorted());
});

describe('a text', () => {
  // Fails when a translation drops a value or has a name that nobody fills in. The hint of `cpu` is the exception: its steps
  // are words, which Arabic writes out.
  test('takes the same values in both languages', () => {
    const differing = KEYS.filter((key) => {
      const [one, other] = [formsOf(en[key]), formsOf(ar[key])].map((forms) => valuesOf(forms['other'] ?? ''));
      return JSON.stringify(one) !== JSON.stringify(other);
    });
    expect(differing).toEqual(['setting.cpu.hint']);
  });

  // Fails when one form of a plural names a value that the general form doesn't.
  test('takes no value in one of its forms only', () => {
    for (const messages of [en, ar]) {
      const odd = KEYS.filter((key) => {
        const { other = '', ...forms } = formsOf(messages[key]);
        return Object.values(forms).some((form) => valuesOf(form).some((value) => !valuesOf(other).includes(value)));
      });
      expect(odd).toEqual([]);
    }
  });

  // Fails when a plural lacks a form of its language (Unicode CLDR). None is needed for a count that is never zero.
  test.each(['en', 'ar'] as const)('has every form that %s needs', (language) => {
    const rules = new Intl.PluralRules(language).resolvedOptions().pluralCategories;
    const categories = rules.filter((category) => category !== 'zero');
    const messages = { en, ar }[language];
    const plurals = KEYS.filter((key) => typeof messages[key] !== 'string');
    const lacking = plurals.filter((key) => !categories.every((category) => category in formsOf(messages[key])));
    expect(plurals.length).toBeGreaterThan(20);
    expect(lacking).toEqual([]);
  });

  test('is never empty, and has no spaces around it', () => {
    for (const messages of [en, ar]) {
      const bad = KEYS.filter((key) =>
        Object.values(formsOf(messages[key])).some((text) => !/^\S(.*\S)?$/s.test(text)),
      );
      expect(bad).toEqual([]);
    }
  });
});

// Fails when an action that the platform records has no name, or one that another action has, too.
test.each([
  ['en', en],
  ['ar', ar],
] as const)('each recorded action has a name of its own: %s', (_, messages) => {
  const names = AUDIT_ACTIONS.map((action) => messages[`audit.did.${action}`]);
  expect(names).toHaveLength(AUDIT_ACTIONS.length);
  expect(names.filter((name) => typeof name !== 'string' || /[._]/.test(name))).toEqual([]);
  expect(new Set(names).size).toBe(AUDIT_ACTIONS.length);
});
