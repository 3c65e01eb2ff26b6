import type { Token, Tokens } from 'marked';
import { element } from '../element.ts';
import type { Media } from '../media.ts';
import { renderCode } from '../parts/render-code.ts';
import { renderInline } from './render-inline.ts';

/** A block of markdown as an element; undefined for blank lines and definitions. Raw HTML is shown as the text it is. */
export function renderBlock(token: Token, media: Media): HTMLElement | undefined {
  switch (token.type) {
    case 'space':
    case 'def':
      return undefined;
    case 'heading': {
      const { depth, tokens } = token as Tokens.Heading;
      // The page has its own h1 and h2: the reader's outline stays in order.
      const level = `h${Math.min(depth + 2, 6)}` as 'h3' | 'h4' | 'h5' | 'h6';
      return element(level, { dir: 'auto' }, ...renderInline(tokens, media));
    }
    case 'paragraph':
      return element('p', { dir: 'auto' }, ...renderInline((token as Tokens.Paragraph).tokens, media));
    case 'code': {
      const { text, lang } = token as Tokens.Code;
      return renderCode(text, lang?.split(/\s/)[0]);
    }
    case 'blockquote':
      return element('blockquote', {}, ...renderBlocks((token as Tokens.Blockquote).tokens, media));
    case 'list':
      return renderList(token as Tokens.List, media);
    case 'table':
      return renderTable(token as Tokens.Table, media);
    case 'hr':
      return element('hr');
    case 'text': {
      const text = token as Tokens.Text;
      return element('p', { dir: 'auto' }, ...renderInline(text.tokens ?? [text], media));
    }
    default:
      return element('p', { dir: 'auto' }, token.raw);
  }
}

function renderBlocks(tokens: readonly Token[], media: Media): HTMLElement[] {
  return tokens.map((token) => renderBlock(token, media)).filter((node) => node !== undefined);
}

function renderList(list: Tokens.List, media: Media): HTMLElement {
  const items = list.items.map((item) => {
    // A tight item is a line, not a paragraph.
    const lines = item.loose ? 0 : item.tokens.findIndex((token) => token.type !== 'text' && token.type !== 'checkbox');
    const end = lines === -1 ? item.tokens.length : lines;
    const line = item.tokens.slice(0, end).flatMap((token) => {
      return renderInline(token.type === 'text' ? ((token as Tokens.Text).tokens ?? [token]) : [token], media);
    });
    return element('li', { dir: 'auto' }, ...line, ...renderBlocks(item.tokens.slice(end), media));
  });
  return list.ordered
    ? element('ol', { start: list.start === '' ? 1 : list.start }, ...items)
    : element('ul', {}, ...items);
}

function renderTable({ header, rows }: Tokens.Table, media: Media): HTMLElement {
  const line = (tag: 'th' | 'td', cells: readonly Tokens.TableCell[]) =>
    element(
      'tr',
      {},
      ...cells.map((cell) =>
        element(
          tag,
          { dir: 'auto', scope: tag === 'th' && 'col', 'data-align': cell.align ?? false },
          ...renderInline(cell.tokens, media),
        ),
      ),
    );
  return element(
    'div',
    { class: 'table', tabindex: 0, role: 'group', 'aria-label': 'Table' },
    element(
      'table',
      {},
      element('thead', {}, line('th', header)),
      element('tbody', {}, ...rows.map((cells) => line('td', cells))),
    ),
  );
}
