import type { Token } from 'marked';
import { expect, it } from 'vitest';
import { lex } from './block-reader.ts';
import { readAlert } from './read-alert.ts';

const types = (tokens: readonly Token[]) => tokens.map(({ type }) => type).filter((type) => type !== 'space');

it('reads footnotes and their marks', () => {
  const tokens = lex('It is so[^1], and so[^note].\n[^1]: Because\n  of *this*.\n[^note]: See [x](y).\n\nAfter.');
  expect(types(tokens)).toEqual(['paragraph', 'footnote', 'footnote', 'paragraph']);
  expect(tokens[0]).toMatchObject({ tokens: [{}, { type: 'footnote-mark', label: '1' }, {}, { label: 'note' }, {}] });
  expect(tokens[1]).toMatchObject({ label: '1', tokens: [{ text: 'Because\nof ' }, { type: 'em' }, {}] });
  expect(tokens.links).toEqual({});
});

it('leaves what only looks like one alone', () => {
  expect(types(lex('`[^1]` and [^ x] and [^]'))).toEqual(['paragraph']);
  expect(JSON.stringify(lex('`[^1]` and [^ x] and [^]'))).not.toContain('footnote');
  expect(types(lex('```\n[^1]: code\n```'))).toEqual(['code']);
});

it.each([
  ['> [!NOTE]\n> Mind **this**.', 'info'],
  ['> [!warning]\n> x', 'warning'],
  ['> [!CAUTION]', 'error'],
  ['> [!TIP]\n> - a\n> - b', 'success'],
  ['> [!WHAT]\n> x', undefined],
  ['> see [!NOTE]', undefined],
])('reads %j as an alert of kind %j', (text, style) => {
  expect(readAlert(lex(text)[0] as never)?.style).toBe(style);
});
