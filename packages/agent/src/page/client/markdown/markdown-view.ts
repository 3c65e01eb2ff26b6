import { Lexer } from 'marked';
import { element } from '../element.ts';
import type { Media } from '../media.ts';
import { renderBlock } from './render-block.ts';

/** Markdown that grows while it is shown. */
export interface MarkdownView {
  readonly node: HTMLElement;
  update(text: string): void;
}

/**
 * Shows markdown, and shows it again as it grows: a block whose source is as it was keeps its nodes, so that an answer's
 * settled part costs nothing, and a selection in it stays.
 */
export function createMarkdownView(media: Media): MarkdownView {
  const node = element('div', { class: 'markdown' });
  let blocks: readonly { readonly raw: string; readonly shown: HTMLElement | undefined }[] = [];
  return {
    node,
    update(text) {
      const tokens = new Lexer({ gfm: true, breaks: false }).lex(text);
      // A definition further down can change any link above it.
      const hasDefinition = tokens.some((token) => token.type === 'def');
      let same = 0;
      while (
        !hasDefinition &&
        same < tokens.length &&
        same < blocks.length &&
        tokens[same]?.raw === blocks[same]?.raw
      ) {
        same++;
      }
      for (const { shown } of blocks.slice(same)) shown?.remove();
      const fresh = tokens.slice(same).map((token) => ({ raw: token.raw, shown: renderBlock(token, media) }));
      for (const { shown } of fresh) if (shown) node.append(shown);
      blocks = [...blocks.slice(0, same), ...fresh];
    },
  };
}
