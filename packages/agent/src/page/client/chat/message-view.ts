import type { ChatMessage, Part } from '@berth/contract/agent';
import { element } from '../element.ts';
import type { Media } from '../media.ts';
import { createPartView } from '../parts/create-part-view.ts';
import type { PartView } from '../parts/part-view.ts';

/** An answer on the page. */
export interface AnswerView {
  readonly node: HTMLElement;
  /** Shows the parts; those that are the same objects as before are left alone. */
  show(parts: readonly Part[]): void;
  /** How the turn ended, in words; none when it ended well. */
  note(text: string): void;
  /** Adds what is no part of the message: a card that asks something. */
  ask(card: HTMLElement): void;
}

/** An answer of the agent, empty at first. */
export function createAnswerView(media: Media): AnswerView {
  const body = element('div', { class: 'body' });
  const cards = element('div', { class: 'cards' });
  const node = element('article', { class: 'message assistant', 'aria-label': 'Answer' }, body, cards);
  let shown: { readonly part: Part; readonly view: PartView }[] = [];
  return {
    node,
    show(parts) {
      for (const { view } of shown.splice(parts.length)) view.node.remove();
      shown = parts.map((part, index) => {
        const before = shown[index];
        if (before?.part === part) return before;
        if (before?.part.type === part.type) {
          before.view.update(part);
          return { part, view: before.view };
        }
        const view = createPartView(part, media);
        if (before) before.view.node.replaceWith(view.node);
        else body.append(view.node);
        return { part, view };
      });
    },
    note(text) {
      cards.append(element('p', { class: 'hint' }, text));
    },
    ask(card) {
      cards.append(card);
    },
  };
}

/** What a person wrote: as it was written, with the files that belong to it. */
export function renderQuestion(message: Pick<ChatMessage, 'content' | 'attachments'>, media: Media): HTMLElement {
  const parts =
    typeof message.content === 'string' ? [{ type: 'text' as const, text: message.content }] : message.content;
  return element(
    'article',
    { class: 'message user', 'aria-label': 'You' },
    ...parts.map((part) => {
      if (part.type === 'text') return element('p', { dir: 'auto' }, part.text);
      if (part.type === 'image') return media.image(part.image, fileName(part.image));
      return element('p', {}, media.link(part.file, [document.createTextNode(fileName(part.file))]));
    }),
    ...(message.attachments ?? []).map((attachment) =>
      element('p', {}, media.link(attachment.url ?? attachment.path, [document.createTextNode(attachment.name)])),
    ),
  );
}

function fileName(path: string): string {
  return path.split('/').pop() || path;
}
