import { describe, expect, test } from 'vitest';
import { escapeXml } from './escape-xml.ts';
import { safeLine, safeName, safeText } from './safe-text.ts';

describe('text of third parties', () => {
  // Fails when a class of characters is missing: "delete\u202eelif.txt" shows another name than it has.
  test.each([
    ['the direction of writing', 'a\u202eb\u2066c\u200fd', 'abcd'],
    ['characters of no width', 'a\u200bb\ufeffc\u00add\u2060e', 'abcde'],
    ['tags, which only models read', `a${String.fromCodePoint(0xe0041, 0xe0042)}b`, 'ab'],
    ['control characters', 'a\0b\x1b[31mc\x7fd\u009be', 'ab[31mcde'],
    ['separators of lines and paragraphs', 'a\u2028b\u2029c', 'abc'],
    ['halves of characters', 'a\ud800b\udc00c', 'abc'],
  ])('is without %s', (_what, given, shown) => {
    expect(safeText(given, 100)).toBe(shown);
  });

  // Fails when what people write in is taken for a trick: Persian needs the non-joiner, a family is one emoji of three.
  test('keeps line breaks, joiners and everything that can be seen', () => {
    const text = 'می\u200cخواهم\n\t👨\u200d👩\u200d👧 é 日本';
    expect(safeText(`  ${text} `, 100)).toBe(text);
  });

  // Fails when the bound is off by one, the mark comes on top of it, or a character is cut in two.
  test('is never longer than it may be, and says when it was cut', () => {
    expect(safeText('x'.repeat(10), 10)).toBe('x'.repeat(10));
    expect(safeText('x'.repeat(11), 10)).toBe(`${'x'.repeat(9)}…`);
    const cut = safeText(`${'x'.repeat(8)}😀😀`, 10);
    expect([cut.length <= 10, cut.isWellFormed(), cut.endsWith('…')]).toEqual([true, true, true]);
    // What can't be seen doesn't use up the room.
    expect(safeText(`${'\u200b'.repeat(9)}0123456789`, 10)).toBe('0123456789');
  });

  // Fails when anything but text is turned into text: `[object Object]` would reach people and models.
  test('is empty for what is no text', () => {
    for (const value of [undefined, null, 5, {}, ['a']])
      expect([safeText(value, 9), safeLine(value, 9)]).toEqual(['', '']);
  });

  // Fails when a line break survives in a title: the rest would look like a line of the page's own.
  test('is one line where a title is wanted', () => {
    expect(safeLine(' Approved\r\n\n\tby\u2028 \u00a0you ', 100)).toBe('Approved by you');
  });

  // Fails when a name is repaired instead of refused: two different names would become one.
  test('is a name only as it stands', () => {
    for (const name of ['a', 'read file', 'ü-1', 'x'.repeat(128)]) expect(safeName(name)).toBe(name);
    for (const name of ['', ' a', 'a ', 'a\nb', 'a\u200bb', 'a\u200cb', '\ud800', 'x'.repeat(129), 5, null]) {
      expect(safeName(name)).toBeUndefined();
    }
  });
});

// Fails when one of the five is left out, or a character stays that makes the whole document invalid.
test('text in XML can close no element and no attribute, and makes no document invalid', () => {
  expect(escapeXml(`</a><b c="d" e='f'>&amp;`)).toBe('&#60;/a&#62;&#60;b c=&#34;d&#34; e=&#39;f&#39;&#62;&#38;amp;');
  expect(escapeXml('a\0\x08\x0b\x1f\ufffe\uffffb\t\n\r')).toBe('ab\t\n\r');
  expect(escapeXml('a\ud800b😀')).toBe('a\ufffdb😀');
});
