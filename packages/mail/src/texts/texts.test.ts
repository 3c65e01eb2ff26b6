import { expect, test } from 'vitest';
import { composeMail } from './compose-mail.ts';
import { isMailAddress } from './mail-address.ts';
import { chooseMailLanguage } from './mail-language.ts';

test.each(['ada@example.com', 'a.b+c@sub.example.co', "o'hara@example.com"])('%s is an address', (address) => {
  expect(isMailAddress(address)).toBe(true);
});

test.each([
  'ada',
  'ada@',
  '@example.com',
  'ada@example.com\r\nBcc: eve@example.com',
  'ada@example.com,eve@example.com',
  'Ada <ada@example.com>',
  '"ada"@example.com',
  'ada@example.com>',
  'ada@exa mple.com',
  `ada@${'x'.repeat(260)}.com`,
])('%j is no address', (address) => {
  expect(isMailAddress(address)).toBe(false);
});

test.each([
  ['ar-SA,ar;q=0.9,en;q=0.5', 'ar'],
  ['en-US', 'en'],
  ['fr,en;q=0.3,ar;q=0.7', 'ar'],
  ['fr', undefined],
  ['ar;q=0', undefined],
  [undefined, undefined],
])('%s prefers %s', (header, language) => {
  expect(chooseMailLanguage(header)).toBe(language);
});

test('an Arabic letter runs from right to left and keeps its link', () => {
  const letter = { kind: 'password_reset', name: 'ليلى', link: 'https://x.example/reset-password#t' } as const;
  const { subject, text, html } = composeMail(letter, 'ar');
  expect(subject).toMatch(/\p{Script=Arabic}/u);
  expect(text).toContain('مرحبًا ليلى');
  expect(text.split('\n')).toContain('https://x.example/reset-password#t');
  expect(html).toContain('<html lang="ar" dir="rtl">');
  expect(html).toContain('href="https://x.example/reset-password#t"');
});
