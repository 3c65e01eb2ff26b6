import { expect, test } from 'vitest';
import { flattenPart, flattenParts } from './flatten-part.ts';
import type { Part } from './frame.ts';

const part = (fields: Record<string, unknown>) => fields as unknown as Part;

// Fails when the fence is always three: code with a fence of its own would end the block and be read as Markdown.
test('code stays inside its block, whatever it holds', () => {
  const flat = (code: string) => flattenPart(part({ type: 'code', code, language: 'md' })).split('\n');
  expect(flat('a\n')).toEqual(['```md', 'a', '```']);
  expect(flat('```js\nx\n```')).toEqual(['````md', '```js', 'x', '```', '````']);
  expect(flat('`````')[0]).toBe('``````md');
});

// Fails when a cell can begin a new column or row.
test('a table is as wide as its widest row, and a cell stays one cell', () => {
  const flat = flattenPart(part({ type: 'table', headers: ['a|b'], rows: [['1 \n 2', 'x'], []] }));
  expect(flat.split('\n')).toEqual(['| a\\|b |  |', '| --- | --- |', '| 1 2 | x |', '|  |  |']);
  expect(flattenPart(part({ type: 'table', headers: [], rows: [] }))).toBe('');
});

test('a callout is a quotation to its last line, with its title first', () => {
  expect(flattenPart(part({ type: 'callout', title: 'Note', callout: 'a\nb' }))).toBe('> **Note**\n> a\n> b\n');
  expect(flattenPart(part({ type: 'callout', callout: 'a' }))).toBe('> a\n');
});

// Fails when parts without a text leave empty paragraphs, or an unknown one breaks the message.
test('a message is its parts with a text, a blank line between them', () => {
  const parts = [
    part({ type: 'text', text: 'a' }),
    part({ type: 'from-the-future' }),
    part({ type: 'image', src: 'https://x/y.png', caption: 'c' }),
    part({ type: 'text', text: '' }),
    part({
      type: 'sources',
      sources: [
        { title: 't', url: 'https://s' },
        { title: 'u', url: 'https://v' },
      ],
    }),
  ];
  expect(flattenParts(parts)).toBe('a\n\n![c](https://x/y.png)\n\n- [t](https://s)\n- [u](https://v)');
  expect(flattenParts([])).toBe('');
});
