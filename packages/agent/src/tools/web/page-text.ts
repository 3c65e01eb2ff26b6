import { compile } from 'html-to-text';

export interface PageText {
  /** Empty when the page has none. */
  readonly title: string;
  readonly text: string;
}

const toText = compile({
  wordwrap: false,
  // A page nested a hundred thousand deep is no page.
  limits: { maxInputLength: 2_000_000, maxDepth: 200, maxChildNodes: 20_000, ellipsis: '[…]' },
  selectors: [
    { selector: 'a', options: { ignoreHref: true } },
    ...['img', 'nav', 'footer', 'script', 'style', 'noscript', 'svg', 'form'].map((selector) => ({
      selector,
      format: 'skip',
    })),
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
  ],
});

const MAX_TITLE = 300;
const TEXT_TYPES = /^(text\/|application\/(json|xml|javascript|x-ndjson|[\w.-]+\+(json|xml)))/;

/** What a page says; undefined for what is no text. */
export function pageText(bytes: Buffer, contentType: string): PageText | undefined {
  const type = contentType.toLowerCase();
  if (!TEXT_TYPES.test(type)) return undefined;
  const source = decode(bytes, /charset="?([\w-]+)/.exec(type)?.[1]);
  if (!/^(text\/html|application\/xhtml)/.test(type)) return { title: '', text: source };
  const title = /<title[^>]{0,200}>([^<]{0,1000})/i.exec(source)?.[1] ?? '';
  return { title: toText(title).replace(/\s+/g, ' ').trim().slice(0, MAX_TITLE), text: toText(source) };
}

/** What the page calls its letters may be anything; UTF-8 is what is left. */
function decode(bytes: Buffer, charset = 'utf-8'): string {
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return bytes.toString('utf8');
  }
}
