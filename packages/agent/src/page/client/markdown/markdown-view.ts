import { element } from '../element.ts';
import type { Media } from '../media.ts';
import { createBlockReader } from './block-reader.ts';
import { renderBlock } from './render-block.ts';

/** Markdown that grows while it is shown. */
export interface MarkdownView {
  readonly node: HTMLElement;
  update(text: string): void;
}

/** Shows markdown, and shows it again as it grows: a block that is as it was keeps its nodes, so that a selection in it stays. */
export function createMarkdownView(media: Media): MarkdownView {
  const node = element('div', { class: 'markdown' });
  const reader = createBlockReader();
  let shown: readonly (HTMLElement | undefined)[] = [];
  return {
    node,
    update(text) {
      const { kept, added } = reader.read(text);
      for (const block of shown.slice(kept)) block?.remove();
      const fresh = added.map((token) => renderBlock(token, media));
      for (const block of fresh) if (block) node.append(block);
      shown = [...shown.slice(0, kept), ...fresh];
    },
  };
}
