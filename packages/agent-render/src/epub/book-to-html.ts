import path from 'node:path';
import { Parser } from 'htmlparser2';
import { refuseProtected } from '../renderer/check-document.ts';
import { type Container, openContainer } from '../renderer/open-container.ts';
import { refuseDocument } from '../renderer/renderer.ts';
import { bookPage } from './book-page.ts';

const CONTAINER = 'META-INF/container.xml';
const ENCRYPTION = 'META-INF/encryption.xml';
const PICTURES: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
};
/** Limits: pages of a book, bytes of a page's markup, of a picture and of the whole document. */
const MAX_PAGES = 2_000;
const MAX_PAGE_BYTES = 4 * 2 ** 20;
const MAX_PICTURE_BYTES = 8 * 2 ** 20;
const MAX_BYTES = 32 * 2 ** 20;

/**
 * Converts a book to one HTML document with its pictures inlined, in the order of its spine, without external
 * references. LibreOffice writes EPUB but doesn't read it. Source: EPUB 3.3, 4 (container), 5 (package).
 * @throws RenderError for a file that isn't a book, or a protected book.
 */
export async function bookToHtml(file: string): Promise<string> {
  await using container = await openContainer(file);
  const packagePath = attributesOf(await readText(container, CONTAINER), 'rootfile')[0]?.['full-path'];
  if (packagePath === undefined) refuseDocument('The file is not an EPUB: its page list is missing.');
  const text = await readText(container, packagePath);
  const items = new Map(attributesOf(text, 'item').map(({ id, href }) => [id, href]));
  const pages = attributesOf(text, 'itemref').flatMap(({ idref }) => {
    const href = items.get(idref);
    return href === undefined ? [] : [resolveIn(packagePath, href)];
  });
  if (pages.length === 0) refuseDocument('The book has no pages.');
  if (pages.length > MAX_PAGES) refuseDocument(`The book has more than ${MAX_PAGES} parts.`);
  const encrypted = container.has(ENCRYPTION) ? await readText(container, ENCRYPTION) : '';
  const hidden = new Set(attributesOf(encrypted, 'cipherreference').map(({ uri = '' }) => resolveIn('', uri)));
  if (pages.some((page) => hidden.has(page))) refuseProtected();

  const pieces = ['<!doctype html><html><head><meta charset="utf-8"></head><body>'];
  let bytes = 0;
  const add = (piece: string) => {
    bytes += piece.length;
    if (bytes > MAX_BYTES) refuseDocument(`The book has more than ${MAX_BYTES / 2 ** 20} MiB.`);
    pieces.push(piece);
  };
  const picture = async (name: string) => {
    const type = PICTURES[path.extname(name).slice(1).toLowerCase()];
    const found = type === undefined || hidden.has(name) ? undefined : await container.read(name, MAX_PICTURE_BYTES);
    return found ? `<img src="data:${type};base64,${found.toString('base64')}">` : '';
  };
  for (const [index, page] of pages.entries()) {
    const markup = await container.read(page, MAX_PAGE_BYTES);
    if (!markup) continue;
    if (index > 0) add('<p style="page-break-before: always"></p>');
    for (const piece of bookPage(decode(markup))) {
      if (typeof piece === 'string') add(piece);
      else add(await picture(resolveIn(page, piece.picture)));
    }
  }
  return [...pieces, '</body></html>'].join('');
}

async function readText(container: Container, name: string): Promise<string> {
  const found = await container.read(name, MAX_PAGE_BYTES);
  return found ? decode(found) : refuseDocument('The file is not an EPUB: a required part is missing.');
}

/** Returns the attributes of all elements with a local name. */
function attributesOf(xml: string, element: string): readonly Readonly<Record<string, string>>[] {
  const found: Record<string, string>[] = [];
  const onopentag = (name: string, attributes: Record<string, string>) => {
    if (name.split(':').at(-1) === element) found.push(attributes);
  };
  new Parser({ onopentag }, { xmlMode: true, lowerCaseTags: true, lowerCaseAttributeNames: true }).end(xml);
  return found;
}

/** Returns the name in the container to which a part's `href` resolves; an empty name for external references. */
function resolveIn(part: string, href: string): string {
  const base = `epub:/${part.split('/').map(encodeURIComponent).join('/')}`;
  const url = URL.parse(href, base);
  if (url?.protocol !== 'epub:' || url.host !== '') return '';
  try {
    return decodeURIComponent(url.pathname).slice(1);
  } catch {
    return '';
  }
}

/** Decodes XML; without a byte order mark it is UTF-8. */
function decode(bytes: Buffer): string {
  const isBigEndian = bytes[0] === 0xfe && bytes[1] === 0xff;
  const isLittleEndian = bytes[0] === 0xff && bytes[1] === 0xfe;
  return new TextDecoder(isBigEndian ? 'utf-16be' : isLittleEndian ? 'utf-16le' : 'utf-8').decode(bytes);
}
