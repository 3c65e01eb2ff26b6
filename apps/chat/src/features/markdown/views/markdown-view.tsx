import type { Token } from 'marked';
import { memo, useEffect, useId, useRef } from 'react';
import remend from 'remend';
import { createBlockReader, lex } from '../state/block-reader.ts';
import { BlockView } from './block-view.tsx';
import { FootnoteContext } from './footnote-context.ts';
import { prepareFormulas } from './formula.tsx';

export interface MarkdownViewProps {
  readonly text: string;
  /** True while it grows: what is open at its end is shown as if it were closed. */
  readonly isLive?: boolean;
}

/** Markdown that grows while it is shown: blocks that are settled keep their nodes, so that a selection in them stays. */
export const MarkdownView = memo(function MarkdownView({ text, isLive = false }: MarkdownViewProps) {
  const reader = useRef<{ readonly read: ReturnType<typeof createBlockReader>; blocks: readonly Token[] }>(undefined);
  reader.current ??= { read: createBlockReader(), blocks: [] };
  const { kept, added } = reader.current.read.read(text);
  const blocks = [...reader.current.blocks.slice(0, kept), ...added];
  reader.current.blocks = blocks;
  const last = isLive ? blocks.at(-1) : undefined;
  const id = useId();
  const hasFormula = FORMULA.test(text);
  useEffect(() => {
    if (hasFormula) prepareFormulas();
  }, [hasFormula]);
  return (
    <FootnoteContext value={id}>
      <div className="markdown">
        {blocks.map((token, index) =>
          token === last ? (
            // biome-ignore lint/suspicious/noArrayIndexKey: a block is what stands at its place
            <BlockView key={index} token={closed(token)} isLive />
          ) : (
            // biome-ignore lint/suspicious/noArrayIndexKey: a block is what stands at its place
            <BlockView key={index} token={token} />
          ),
        )}
      </div>
    </FootnoteContext>
  );
});

/** Where one begins, its end may be under way. */
const FORMULA = /\$|\\[([]/;

/** A longer block is shown as it is: its end is one line of many, and reading it again takes longer than its marks flicker. */
const CLOSED_CHARACTERS = 4_000;

/** A paragraph whose bold, code or link is still open, as if that were closed: its marks don't flicker. */
function closed(token: Token): Token {
  if (token.type === 'code' || token.type === 'space' || token.raw.length > CLOSED_CHARACTERS) return token;
  const [first, second] = lex(remend(token.raw, { linkMode: 'text-only' }));
  return first !== undefined && second === undefined ? first : token;
}
