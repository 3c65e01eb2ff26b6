import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cleanText } from './clean-text.ts';

test.each([
  ['window title', 'a\x1b]0;owned\x07b', 'ab'],
  ['clipboard', 'a\x1b]52;c;aGk=\x1b\\b', 'ab'],
  ['link', '\x1b]8;;http://evil\x1b\\text\x1b]8;;\x1b\\', 'text'],
  ['cursor and erase', 'a\x1b[2J\x1b[1;1Hb', 'ab'],
  ['carriage return and backspace', 'ok\rno\b\b', 'okno'],
  ['8-bit controls', 'a\x9b2Jb\x9d0;x\x9cc', 'abc'],
  ['an escape cut short', 'a\x1b', 'a'],
  ['device control', 'a\x1bPq...\x1b\\b', 'ab'],
])('takes out: %s', (_what, text, clean) => {
  expect(cleanText(text)).toBe(clean);
  expect(cleanText(text, { keepsColour: true })).toBe(clean);
});

test('keeps tabs, newlines and every letter', () => {
  expect(cleanText('\tñ 日本 👋\nx')).toBe('\tñ 日本 👋\nx');
});

test('colors stay where they are wanted, and end with the text', () => {
  expect(cleanText('\x1b[31mred\x1b[2Kx')).toBe('redx');
  expect(cleanText('\x1b[1;31mred\x1b[2Kx', { keepsColour: true })).toBe('\x1b[1;31mredx\x1b[0m');
});

test('nothing but color ever reaches a terminal', () => {
  const piece = fc.oneof(
    fc.constantFrom('\x1b', '\x9b', '\x9d', '\x07', '[', ']', 'P', '0', ';', 'm', 'J', '\\', '\x9c', 'x', '\r', ' '),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
      expect(cleanText(pieces.join(''))).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: as above
      const coloured = cleanText(pieces.join(''), { keepsColour: true }).replace(/\x1b\[[0-9;:]*m/g, '');
      // biome-ignore lint/suspicious/noControlCharactersInRegex: as above
      expect(coloured).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/);
    }),
  );
});
