import type { Token, Tokens } from 'marked';
import { element } from '../element.ts';
import type { Media } from '../media.ts';
import { decodeEntities } from './decode-entities.ts';

/** The tokens of a line as nodes. Raw HTML is shown as the text it is. */
export function renderInline(tokens: readonly Token[], media: Media): Node[] {
  return tokens.map((token) => renderToken(token, media));
}

function renderToken(token: Token, media: Media): Node {
  const children = () => renderInline(('tokens' in token && token.tokens) || [], media);
  switch (token.type) {
    case 'strong':
      return element('strong', {}, ...children());
    case 'em':
      return element('em', {}, ...children());
    case 'del':
      return element('del', {}, ...children());
    case 'codespan':
      return element('code', {}, (token as Tokens.Codespan).text);
    case 'br':
      return element('br');
    case 'checkbox':
      return renderCheckbox((token as Tokens.Checkbox).checked);
    case 'link':
      return media.link((token as Tokens.Link).href, children());
    case 'image': {
      const { href, text } = token as Tokens.Image;
      return media.image(href, decodeEntities(text));
    }
    case 'text':
      return 'tokens' in token && token.tokens
        ? element('span', {}, ...children())
        : document.createTextNode(decodeEntities((token as Tokens.Text).text));
    case 'escape':
      return document.createTextNode((token as Tokens.Escape).text);
    default:
      return document.createTextNode(token.raw);
  }
}

function renderCheckbox(checked: boolean): HTMLElement {
  return element('input', { type: 'checkbox', disabled: true, checked, 'aria-label': checked ? 'Done' : 'To do' });
}
