import { htmlText, type PageText } from './html-text.ts';

const TEXT_TYPES = /^(text\/|application\/(json|xml|javascript|x-ndjson|[\w.-]+\+(json|xml)))/;
const HTML_TYPES = /^(text\/html|application\/xhtml)/;

/** What a page says; undefined for what is no text. */
export function pageText(bytes: Buffer, contentType: string): PageText | undefined {
  const type = contentType.toLowerCase();
  if (!TEXT_TYPES.test(type)) return undefined;
  const source = decode(bytes, /charset="?([\w-]+)/.exec(type)?.[1]);
  return HTML_TYPES.test(type) ? htmlText(source) : { title: '', text: source };
}

/** What the page calls its letters may be anything; UTF-8 is what is left. */
function decode(bytes: Buffer, charset = 'utf-8'): string {
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return bytes.toString('utf8');
  }
}
