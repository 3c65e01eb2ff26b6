import path from 'node:path';

interface FormatFacts {
  /** What people call it, after "a" or "an". */
  readonly title: string;
  /** What LibreOffice reads it with. Source: its list of filters, docs/filters in its help. */
  readonly filter: string;
  readonly kind: 'text' | 'sheet' | 'slides';
}

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
} as const satisfies Record<string, FormatFacts>;

/** Formats that are shown as PDF. Source: docs/contract/agent-api.md §5. */
export type OfficeFormat = keyof typeof FORMATS;

/** What a renderer is given: books are taken apart before. */
export type RenderedFormat = Exclude<OfficeFormat, 'epub'> | 'html';

/** By its name, which says what it has to be inside too; undefined for other files. */
export function officeFormat(name: string): OfficeFormat | undefined {
  const extension = path.extname(name).slice(1).toLowerCase();
  return Object.hasOwn(FORMATS, extension) ? (extension as OfficeFormat) : undefined;
}

/** For sentences: `Word document`. */
export function formatTitle(format: OfficeFormat): string {
  return FORMATS[format].title;
}

/** Whether it has slides. */
export function isDeck(format: OfficeFormat): boolean {
  return FORMATS[format].kind === 'slides';
}

/** Names of LibreOffice's filters: what it reads the format with, so that it never guesses, and writes the PDF with. */
export function officeFilters(format: RenderedFormat): { readonly read: string; readonly write: string } {
  if (format === 'html') return { read: 'HTML (StarWriter)', write: 'writer_pdf_Export' };
  const { filter, kind } = FORMATS[format];
  const application = { text: 'writer', sheet: 'calc', slides: 'impress' }[kind];
  return { read: filter, write: `${application}_pdf_Export` };
}
