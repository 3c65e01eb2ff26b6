import { expect, it } from 'vitest';
import { splitLines } from './code-view.tsx';

it('splits text after every 40 lines, and loses none', () => {
  for (const count of [0, 1, 39, 40, 41, 80, 81, 500]) {
    const text = Array.from({ length: count }, (_, index) => (index % 7 === 0 ? '' : `line ${index}`)).join('\n');
    const pieces = splitLines(text);
    expect(pieces.map((piece) => piece.text).join('\n')).toBe(text);
    expect(pieces.map((piece) => piece.text.split('\n').length)).toEqual(pieces.map(({ lines }) => lines));
    expect(Math.max(...pieces.map(({ lines }) => lines))).toBeLessThanOrEqual(40);
  }
});

it('leaves all but the last piece as they are when text is added', () => {
  const text = 'a\n'.repeat(100);
  const [before, after] = [splitLines(text), splitLines(`${text}b\nc`)];
  expect(after.slice(0, 2)).toEqual(before.slice(0, 2));
});
