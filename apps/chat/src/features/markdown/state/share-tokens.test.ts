import type { Token, Tokens } from 'marked';
import { describe, expect, it } from 'vitest';
import { lex } from './block-reader.ts';
import { shareTokens } from './share-tokens.ts';

const first = (text: string) => lex(text)[0] as Token;
const share = (before: string, after: string) => {
  const older = first(before);
  return { older, newer: shareTokens(older, first(after)) };
};
const itemsOf = (token: Token) => (token as Tokens.List).items;

describe('a token that grew', () => {
  it('keeps the items of a list that stay', () => {
    const { older, newer } = share('- a\n- b\n', '- a\n- b\n- c\n');
    expect(itemsOf(newer)[0]).toBe(itemsOf(older)[0]);
    expect(itemsOf(newer)).toHaveLength(3);
  });

  // Fails when an item is shared although a blank line made a paragraph of it.
  it('keeps no item when a blank line changes all of them', () => {
    const { older, newer } = share('- a\n- b\n', '- a\n- b\n\n- c\n');
    expect(itemsOf(newer)[0]).not.toBe(itemsOf(older)[0]);
  });

  it('keeps the items of a list inside of an item that grows', () => {
    const { older, newer } = share('- a\n  - x\n  - y\n', '- a\n  - x\n  - y\n  - z\n');
    const inner = (token: Token) => itemsOf(itemsOf(token)[0]?.tokens.at(-1) as Token);
    expect(inner(newer)[0]).toBe(inner(older)[0]);
    expect(inner(newer)).toHaveLength(3);
  });

  it('keeps the rows of a table that stay, and its heading', () => {
    const head = '| a | b |\n|---|---|\n';
    const { older, newer } = share(`${head}| 1 | 2 |\n`, `${head}| 1 | 2 |\n| 3 | 4 |\n`);
    const [before, now] = [older as Tokens.Table, newer as Tokens.Table];
    expect(now.header).toBe(before.header);
    expect(now.rows[0]).toBe(before.rows[0]);
    expect(now.rows).toHaveLength(2);
  });

  it('takes a row that changed from the newer table', () => {
    const head = '| a |\n|---|\n';
    const { newer } = share(`${head}| 1 |\n`, `${head}| 12 |\n`);
    expect((newer as Tokens.Table).rows[0]?.[0]?.text).toBe('12');
  });

  it('keeps nothing of a table with other columns', () => {
    const { older, newer } = share('| a |\n|---|\n| 1 |\n', '| a | b |\n|---|---|\n| 1 | 2 |\n');
    expect((newer as Tokens.Table).rows[0]).not.toBe((older as Tokens.Table).rows[0]);
  });

  it('keeps the blocks of a quote that stay', () => {
    const { older, newer } = share('> one\n>\n> two\n', '> one\n>\n> two and more\n');
    const blocks = (token: Token) => (token as Tokens.Blockquote).tokens;
    expect(blocks(newer)[0]).toBe(blocks(older)[0]);
    expect(blocks(newer).at(-1)).not.toBe(blocks(older).at(-1));
  });
});

describe('a token that became another', () => {
  it('shares nothing', () => {
    const table = first('| a |\n|---|\n| 1 |\n');
    expect(shareTokens(first('| a |\n'), table)).toBe(table);
    expect(shareTokens(undefined, table)).toBe(table);
  });
});
