import { htmlText, type PageText } from './html-text.ts';

const TEXT_TYPES = /^(text\/|application\/(json|xml|javascript|x-ndjson|[\w.-]+\+(json|xml)))/;
const HTML_TYPES = /^(text\/html|application\/xhtml)/;

/** Returns the text of a page; undefined when it is no text. */
export function pageText(bytes: Buffer, contentType: string): PageText | undefined {
  const type = contentType.toLowerCase();
  if (!TEXT_TYPES.test(type)) return undefined;
  const source = decode(bytes, /charset="?([\w-]+)/.exec(type)?.[1]);
  return HTML_TYPES.test(type) ? htmlText(source) : { title: '', text: source };
}

/** Creates a decoder for the page's charset; UTF-8 for an unknown one. */
function decode(bytes: Buffer, charset = 'utf-8'): string {
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return bytes.toString('utf8');
  }
}
