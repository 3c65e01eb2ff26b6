import type { Token } from 'marked';
import { memo, useEffect, useId, useRef } from 'react';
import remend from 'remend';
import { createBlockReader, lex } from '../state/block-reader.ts';
import { BlockView } from './block-view.tsx';
import { prepareFormulas } from './formula.tsx';
import { FootnoteContext } from './inline-view.tsx';

export interface MarkdownViewProps {
  readonly text: string;
  /** True while the text grows: open markup at its end renders as if it were closed. */
  readonly isLive?: boolean;
}

/** Markdown that may grow while it is shown. Finished blocks keep their DOM nodes, so that a selection in them survives. */
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
            // biome-ignore lint/suspicious/noArrayIndexKey: blocks have no ID and never change places
            <BlockView key={index} token={closed(token)} isLive />
          ) : (
            // biome-ignore lint/suspicious/noArrayIndexKey: blocks have no ID and never change places
            <BlockView key={index} token={token} />
          ),
        )}
      </div>
    </FootnoteContext>
  );
});

/** Matches the start of a formula; its end may not have arrived yet. */
const FORMULA = /\$|\\[([]/;

/** Maximum size of a block to close: parsing a longer one again costs more than flickering markup at its end. */
const CLOSED_CHARACTERS = 4_000;

/** Returns the block with open bold, code or links closed, so that their markup does not flicker. */
function closed(token: Token): Token {
  if (token.type === 'code' || token.type === 'space' || token.raw.length > CLOSED_CHARACTERS) return token;
  const [first, second] = lex(remend(token.raw, { linkMode: 'text-only' }));
  return first !== undefined && second === undefined ? first : token;
}
