import type { CalloutFrame } from '@berth/contract/agent';
import { element } from '../element.ts';
import { createMarkdownView } from '../markdown/markdown-view.ts';
import type { Media } from '../media.ts';

const WORDS: Readonly<Record<string, string>> = {
  info: 'Note',
  warning: 'Warning',
  error: 'Error',
  success: 'Done',
};

/** A note that stands out: by its words, not by its colour alone. */
export function renderCallout({ callout, style, title }: CalloutFrame, media: Media): HTMLElement {
  const body = createMarkdownView(media);
  body.update(callout);
  return element(
    'div',
    { class: `callout ${style in WORDS ? style : 'info'}`, role: style === 'error' ? 'alert' : 'note' },
    element('strong', { dir: 'auto' }, title ?? WORDS[style] ?? 'Note'),
    body.node,
  );
}
