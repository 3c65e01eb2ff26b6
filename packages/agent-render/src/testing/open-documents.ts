import { zipOf } from './zip-of.ts';

const NAMESPACES = [
  ['office', 'office'],
  ['text', 'text'],
  ['table', 'table'],
  ['draw', 'drawing'],
  ['style', 'style'],
  ['script', 'script'],
  ['presentation', 'presentation'],
]
  .map(([prefix, name]) => `xmlns:${prefix}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`)
  .concat(
    'xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0"',
    'xmlns:xlink="http://www.w3.org/1999/xlink"',
    'xmlns:of="urn:oasis:names:tc:opendocument:xmlns:of:1.2"',
  )
  .join(' ');

/** A kind of OpenDocument file. */
export type OpenDocumentKind = 'text' | 'spreadsheet' | 'presentation';

/** Additional parts of an OpenDocument file. */
export interface OpenDocumentParts {
  /** Content of `office:scripts`, before the body. */
  readonly scripts?: string;
  /** Content of each `manifest:file-entry`. */
  readonly manifest?: string;
  readonly files?: Readonly<Record<string, string>>;
}

/**
 * Builds an OpenDocument file; `body` is the content of `office:text`, `office:spreadsheet` or `office:presentation`.
 */
export function openDocument(kind: OpenDocumentKind, body: string, parts: OpenDocumentParts = {}): Promise<Buffer> {
  const { scripts = '', manifest = '', files = {} } = parts;
  const type = `application/vnd.oasis.opendocument.${kind}`;
  const entries = ['content.xml', ...Object.keys(files)].map(
    (name) =>
      `<manifest:file-entry manifest:full-path="${name}" manifest:media-type="text/xml">${manifest}</manifest:file-entry>`,
  );
  return zipOf({
    mimetype: type,
    'content.xml': `<?xml version="1.0" encoding="UTF-8"?><office:document-content ${NAMESPACES} office:version="1.2"><office:scripts>${scripts}</office:scripts><office:body><office:${kind}>${body}</office:${kind}></office:body></office:document-content>`,
    ...files,
    'META-INF/manifest.xml': `<?xml version="1.0"?><manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0" manifest:version="1.2"><manifest:file-entry manifest:full-path="/" manifest:media-type="${type}"/>${entries.join('')}</manifest:manifest>`,
  });
}

/** Builds a text document with one paragraph. */
export function openText(text: string): Promise<Buffer> {
  return openDocument('text', `<text:p>${text}</text:p>`);
}

/** Builds a presentation with one text per page. */
export function openSlides(texts: readonly string[]): Promise<Buffer> {
  const page = (text: string, index: number) =>
    `<draw:page draw:name="p${index}"><draw:frame svg:x="2cm" svg:y="2cm" svg:width="20cm" svg:height="4cm"><draw:text-box><text:p>${text}</text:p></draw:text-box></draw:frame></draw:page>`;
  return openDocument('presentation', texts.map(page).join(''));
}
