import { expect, test } from 'vitest';
import { turnTitle } from './start-turn.ts';

test.each([
  ['short', 'short'],
  ['x'.repeat(100), 'x'.repeat(80)],
  ['😀'.repeat(100), '😀'.repeat(80)],
  ['', ''],
])('the title of %s', (content, title) => {
  expect(turnTitle({ content })).toBe(title);
});

test('parts have the title of their first text, a file alone that of the file', () => {
  const image = { type: 'image' as const, image: 'a.png' };
  expect(turnTitle({ content: [image, { type: 'text', text: 'What is it?' }] })).toBe('What is it?');
  expect(turnTitle({ content: [image], attachments: [{ name: 'a.png', path: 'attachments/a.png' }] })).toBe('a.png');
});
