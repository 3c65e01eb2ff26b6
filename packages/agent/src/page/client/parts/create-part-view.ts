import type { Part } from '@berth/contract/agent';
import { element } from '../element.ts';
import { createMarkdownView } from '../markdown/markdown-view.ts';
import type { Media } from '../media.ts';
import type { PartView } from './part-view.ts';
import { renderCallout } from './render-callout.ts';
import { renderCode } from './render-code.ts';
import { renderSources } from './render-sources.ts';
import { createStepView } from './step-view.ts';
import { createTableView } from './table-view.ts';

/** Shows `part`, and what becomes of it while the answer grows. */
export function createPartView(part: Part, media: Media): PartView {
  switch (part.type) {
    case 'text': {
      const view = createMarkdownView(media);
      return started(part, { node: view.node, update: (next) => view.update((next as typeof part).text) });
    }
    case 'thinking': {
      const text = element('p', { dir: 'auto' });
      const node = element('details', { class: 'thinking' }, element('summary', {}, 'Thinking'), text);
      return started(part, {
        node,
        update: (next) => {
          text.textContent = (next as typeof part).thinking;
        },
      });
    }
    case 'table':
      return started(part, createTableView());
    case 'step':
      return started(part, createStepView());
    case 'tool_call':
      return started(part, createStepView());
    default:
      return replacing(part, media);
  }
}

function started(part: Part, view: PartView): PartView {
  view.update(part);
  return view;
}

/** Of parts that are small, or come whole: shown anew when they change. */
function replacing(part: Part, media: Media): PartView {
  const node = element('div', { class: 'part' }, render(part, media));
  return { node, update: (next) => node.replaceChildren(render(next, media)) };
}

function render(part: Part, media: Media): HTMLElement {
  switch (part.type) {
    case 'code':
      return renderCode(part.code, part.language);
    case 'callout':
      return renderCallout(part, media);
    case 'image':
      return element(
        'figure',
        {},
        media.image(part.src, part.alt ?? part.caption ?? ''),
        part.caption !== undefined && element('figcaption', { dir: 'auto' }, part.caption),
      );
    case 'status':
      return element('p', { class: 'status', dir: 'auto' }, part.status);
    case 'sources':
      return renderSources(part.sources, media);
    default:
      // Newer than this page.
      return element('span', { hidden: true });
  }
}
