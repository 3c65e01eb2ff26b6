import fc from 'fast-check';
import type { Token } from 'marked';
import { describe, expect, it } from 'vitest';
import { createBlockReader, lex } from './block-reader.ts';

/** Type and source of each block, and what its links lead to. */
const outline = (tokens: readonly Token[]) =>
  tokens.map(({ type, raw, ...rest }) => [type, raw, JSON.stringify(rest, withoutSource)]);
/** Of what is inside of a block only what is shown: whose a line end is, depends on what follows. */
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

describe('createBlockReader', () => {
  it('reads text that grows as it reads the whole', () => {
    const piece = fc.constantFrom(
      ...['a', ' ', '\n', '\n\n', '# ', '- ', '1. ', '> ', '```', '    ', '| a | b |\n|---|---|\n', '| 1 |', '**', '`'],
      ...[
        '===',
        '---',
        '<b>',
        '</b>',
        '[x](y)',
        '[x]',
        '[x]: y\n',
        '* * *',
        '  - ',
        '- [x] ',
        '\t',
        '\r\n',
        '<!-- ',
        '-->',
        '$$',
        '$x$',
        '\\[',
        '\\]',
      ],
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        const { text, blocks } = readGrowing(pieces);
        expect(blocks).toEqual(readAll(text));
      }),
      { numRuns: 4_000, seed: 7 },
    );
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
