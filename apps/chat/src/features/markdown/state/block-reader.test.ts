import fc from 'fast-check';
import type { Token, Tokens } from 'marked';
import { describe, expect, it } from 'vitest';
import { createBlockReader, lex } from './block-reader.ts';

/** Returns type, source and link targets of each block. */
const outline = (tokens: readonly Token[]) =>
  tokens.map(({ type, raw, ...rest }) => [type, raw, JSON.stringify(rest, withoutSource)]);
/** A JSON replacer that omits the source inside a block: which token a line break belongs to depends on the text after it. */
const withoutSource = (key: string, value: unknown) => (key === 'raw' ? undefined : value);
const readAll = (text: string) => outline(lex(text));

function readGrowing(pieces: readonly string[]) {
  const reader = createBlockReader();
  let blocks: readonly Token[] = [];
  let text = '';
  for (const piece of pieces) {
    text += piece;
    const { kept, added } = reader.read(text);
    blocks = [...blocks.slice(0, kept), ...added];
  }
  return { text, blocks: outline(blocks) };
}

const PIECES = [
  ...['a', ' ', '\n', '\n\n', '# ', '- ', '1. ', '> ', '```', '    ', '| a | b |\n|---|---|\n', '| 1 |', '**', '`'],
  ...['===', '---', '<b>', '</b>', '[x](y)', '[x]', '[x]: y\n', '* * *', '  - ', '- [x] ', '\t', '\r\n', '<!-- '],
  ...['-->', '$$', '$x$', '\\[', '\\]', '[^1]', '[^1]: '],
];
const growing = (maxLength: number) => fc.array(fc.constantFrom(...PIECES), { maxLength });

describe('createBlockReader', () => {
  it('reads text that grows as it reads the whole', () => {
    fc.assert(
      fc.property(growing(20), (pieces) => {
        const { text, blocks } = readGrowing(pieces);
        expect(blocks).toEqual(readAll(text));
      }),
      { numRuns: 2_000, seed: 7 },
    );
  });

  it.each(['- ', '1. ', '* ', '- [ ] '])('reads a long list of %j that grows as it reads the whole', (mark) => {
    fc.assert(
      fc.property(fc.boolean(), growing(12), (isLoose, pieces) => {
        const list = Array.from({ length: 9 }, (_, index) => `${mark}item ${index}\n${isLoose ? '\n' : ''}`);
        const { text, blocks } = readGrowing([...list, ...pieces, `\n${mark}b`, '\nc\n']);
        expect(blocks).toEqual(readAll(text));
      }),
      { numRuns: 60, seed: 7 },
    );
  });

  it('keeps the items and rows that stay, so that they are not drawn again', () => {
    const list = Array.from({ length: 20 }, (_, index) => `- item ${index}\n`).join('');
    const table = `| a |\n|---|\n${'| 1 |\n'.repeat(20)}`;
    for (const [text, partsOf] of [
      [list, (token: Token | undefined) => (token as Tokens.List).items],
      [table, (token: Token | undefined) => (token as Tokens.Table).rows],
    ] as const) {
      const reader = createBlockReader();
      const [before] = reader.read(text).added;
      const [after] = reader.read(`${text}${text.slice(0, 2)}more`).added;
      const [old, now] = [partsOf(before), partsOf(after)];
      expect([old.length, now.length]).toEqual([20, 21]);
      expect(old.slice(0, 16).every((part, index) => part === now[index])).toBe(true);
    }
  });

  it('settles what stands before a formula that is open, and goes on once it is closed', () => {
    const reader = createBlockReader();
    const text = Array.from({ length: 20 }, (_, index) => `Text ${index}.\n\n$$\nx\n$$\n\n`).join('');
    reader.read(text);
    expect(reader.read(`${text}More`).kept).toBeGreaterThan(55);
    const open = `${text}$$ never closed\n\n${'And more.\n\n'.repeat(20)}`;
    reader.read(open);
    expect(reader.read(`${open}x $$\n`).added.map(({ type }) => type)).toContain('math');
  });

  it('reads only the end again', () => {
    const reader = createBlockReader();
    const settled = Array.from({ length: 50 }, (_, index) => `Paragraph ${index}.\n\n`).join('');
    reader.read(settled);
    const { kept, added } = reader.read(`${settled}More`);
    expect(kept).toBeGreaterThan(90);
    expect(added.length).toBeLessThan(5);
  });

  it('reads all again when a definition comes, and when the text is another', () => {
    const reader = createBlockReader();
    reader.read('See [x].\n\n');
    const { kept, added } = reader.read('See [x].\n\n[x]: https://example.com\n');
    expect(kept).toBe(0);
    expect(JSON.stringify(added[0])).toContain('"href":"https://example.com"');
    expect(outline(reader.read('Other').added)).toEqual(readAll('Other'));
  });
});
