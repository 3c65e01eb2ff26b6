import { expect, test } from 'vitest';
import { createBlockReader } from './block-reader.ts';

const blocks = (text: string) => createBlockReader().read(text).added;
const inlineMath = (text: string) =>
  blocks(text).flatMap((block) =>
    ('tokens' in block ? (block.tokens ?? []) : []).flatMap((token) =>
      token.type === 'math' ? [(token as { text?: string }).text] : [],
    ),
  );

test('reads formulas on lines of their own', () => {
  for (const text of ['$$\nx^2\n$$', '\\[\nx^2\n\\]', '$$x^2$$\n\nafter']) {
    expect(blocks(text)[0]).toMatchObject({ type: 'math', text: 'x^2', isBlock: true });
  }
});

test('reads formulas in a line', () => {
  expect(inlineMath('It is $a_1 + b$ and \\(c\\), or $$d$$ here.')).toEqual(['a_1 + b', 'c', 'd']);
});

test('leaves money, code and what is not closed alone', () => {
  expect(inlineMath('It costs $5 or $10, and `$x$`; an open $x')).toEqual([]);
  expect(blocks('$$\nnot closed')[0]?.type).toBe('paragraph');
});

test('a paragraph goes on where a line begins with dollars that nothing closes', () => {
  const [paragraph, ...rest] = blocks('one\n$$ two\nthree $x$ four');
  expect(rest).toEqual([]);
  expect(paragraph?.raw).toBe('one\n$$ two\nthree $x$ four');
});
