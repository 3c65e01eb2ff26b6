import path from 'node:path';

/**
 * Titles for messages, after "a" or "an", and LibreOffice's import filters. Source: its list of filters, docs/filters in its help.
 */
const FORMATS = {
  doc: { title: 'Word document', filter: 'MS Word 97', kind: 'text' },
  docx: { title: 'Word document', filter: 'MS Word 2007 XML', kind: 'text' },
  odt: { title: 'OpenDocument text', filter: 'writer8', kind: 'text' },
  rtf: { title: 'rich text', filter: 'Rich Text Format', kind: 'text' },
  epub: { title: 'EPUB book', filter: '', kind: 'text' },
  xls: { title: 'Excel workbook', filter: 'MS Excel 97', kind: 'sheet' },
  xlsx: { title: 'Excel workbook', filter: 'Calc MS Excel 2007 XML', kind: 'sheet' },
  ods: { title: 'OpenDocument spreadsheet', filter: 'calc8', kind: 'sheet' },
  ppt: { title: 'PowerPoint presentation', filter: 'MS PowerPoint 97', kind: 'slides' },
  pptx: { title: 'PowerPoint presentation', filter: 'Impress MS PowerPoint 2007 XML', kind: 'slides' },
  odp: { title: 'OpenDocument presentation', filter: 'impress8', kind: 'slides' },
} as const;

/** A format that can be shown as PDF. Source: docs/contract/agent-api.md §5. */
export type OfficeFormat = keyof typeof FORMATS;

/** A format that a renderer accepts. Books are converted to HTML first. */
export type RenderedFormat = Exclude<OfficeFormat, 'epub'> | 'html';

/** Returns the format by a file name's extension; undefined for other files. `checkDocument` verifies the content. */
export function officeFormat(name: string): OfficeFormat | undefined {
  const extension = path.extname(name).slice(1).toLowerCase();
  return Object.hasOwn(FORMATS, extension) ? (extension as OfficeFormat) : undefined;
}

/** Returns a format's name for messages, e.g. `Word document`. */
export function formatTitle(format: OfficeFormat): string {
  return FORMATS[format].title;
}

/** Reports whether a format has slides. */
export function isDeck(format: OfficeFormat): boolean {
  return FORMATS[format].kind === 'slides';
}

/**
 * Returns LibreOffice's filters for a format: the import filter, so that LibreOffice never guesses the format, and the
 * PDF export filter.
 */
export function officeFilters(format: RenderedFormat): { readonly read: string; readonly write: string } {
  if (format === 'html') return { read: 'HTML (StarWriter)', write: 'writer_pdf_Export' };
  const { filter, kind } = FORMATS[format];
  const application = { text: 'writer', sheet: 'calc', slides: 'impress' }[kind];
  return { read: filter, write: `${application}_pdf_Export` };
}
