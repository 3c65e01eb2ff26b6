import type { Source } from '@berth/contract/agent';
import { element } from '../element.ts';
import type { Media } from '../media.ts';

/** Where an answer comes from. */
export function renderSources(sources: readonly Source[], media: Media): HTMLElement {
  return element(
    'section',
    { class: 'sources', 'aria-label': 'Sources' },
    element('strong', {}, 'Sources'),
    element(
      'ol',
      {},
      ...sources.map(({ title, url, snippet }) =>
        element(
          'li',
          { dir: 'auto' },
          media.link(url, [document.createTextNode(title || url)]),
          snippet !== undefined && element('p', {}, snippet),
        ),
      ),
    ),
  );
}
