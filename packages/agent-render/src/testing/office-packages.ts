import { zipOf } from './zip-of.ts';

const RELATIONSHIPS = 'http://schemas.openxmlformats.org/package/2006/relationships';
/** The namespace of Office relationships. */
export const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const MAIN = {
  word: 'wordprocessingml.document.main+xml',
  xl: 'spreadsheetml.sheet.main+xml',
  ppt: 'presentationml.presentation.main+xml',
} as const;

/** A relationship of a part: the last word of its type, its target, and whether the target is external. */
export type Relationship = readonly [type: string, target: string, isExternal?: boolean];

/** Returns the relationships part, with the ids `r1`, `r2`, … */
export function relationships(list: readonly Relationship[]): string {
  const items = list.map(
    ([type, target, isExternal = false], index) =>
      `<Relationship Id="r${index + 1}" Type="${OFFICE}/${type}" Target="${target}"${isExternal ? ' TargetMode="External"' : ''}/>`,
  );
  return `<?xml version="1.0"?><Relationships xmlns="${RELATIONSHIPS}">${items.join('')}</Relationships>`;
}

/** The content of an Office Open XML package. */
export interface OfficePackage {
  readonly folder: keyof typeof MAIN;
  /** Name of the main part in the folder. */
  readonly main: string;
  /** Content types of parts besides the main one, by their paths. */
  readonly types?: Readonly<Record<string, string>>;
  readonly files: Readonly<Record<string, string | Uint8Array>>;
}

/** Builds an Office Open XML package. */
export function officePackage({ folder, main, types = {}, files }: OfficePackage): Promise<Buffer> {
  const type = 'application/vnd.openxmlformats-officedocument';
  const overrides = Object.entries({ [`/${folder}/${main}`]: MAIN[folder], ...types }).map(
    ([part, last]) => `<Override PartName="${part}" ContentType="${type}.${last}"/>`,
  );
  return zipOf({
    '[Content_Types].xml': `<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${overrides.join('')}</Types>`,
    '_rels/.rels': relationships([['officeDocument', `${folder}/${main}`]]),
    ...files,
  });
}

const WORD = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';

/** Builds a Word document; `body` holds paragraphs. */
export function wordDocument(body: string, files: Readonly<Record<string, string>> = {}): Promise<Buffer> {
  return officePackage({
    folder: 'word',
    main: 'document.xml',
    types: files['word/settings.xml'] === undefined ? {} : { '/word/settings.xml': 'wordprocessingml.settings+xml' },
    files: {
      'word/document.xml': `<?xml version="1.0" encoding="UTF-8"?><w:document xmlns:w="${WORD}" xmlns:r="${OFFICE}" xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture" xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office"><w:body>${body}</w:body></w:document>`,
      ...files,
    },
  });
}

/** Returns a paragraph of a Word document. */
export function wordParagraph(text: string): string {
  return `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`;
}

const SHEET = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';

/** Builds an Excel workbook of one sheet; `rows` is the content of `sheetData`. */
export function excelWorkbook(
  rows: string,
  { workbook = '', sheet = '', types = {}, links = [], files = {} }: ExcelParts = {},
): Promise<Buffer> {
  return officePackage({
    folder: 'xl',
    main: 'workbook.xml',
    types: { '/xl/worksheets/sheet1.xml': 'spreadsheetml.worksheet+xml', ...types },
    files: {
      'xl/workbook.xml': `<?xml version="1.0"?><workbook xmlns="${SHEET}" xmlns:r="${OFFICE}"><sheets><sheet name="Sheet1" sheetId="1" r:id="r1"/></sheets>${workbook}<calcPr fullCalcOnLoad="1"/></workbook>`,
      'xl/_rels/workbook.xml.rels': relationships([['worksheet', 'worksheets/sheet1.xml'], ...links]),
      'xl/worksheets/sheet1.xml': `<?xml version="1.0"?><worksheet xmlns="${SHEET}" xmlns:r="${OFFICE}"><sheetData>${rows}</sheetData>${sheet}</worksheet>`,
      ...files,
    },
  });
}

/** Additional parts of an Excel workbook. */
export interface ExcelParts {
  /** Markup in the workbook, after its sheets. */
  readonly workbook?: string;
  /** Markup in the sheet, after its data. */
  readonly sheet?: string;
  readonly types?: Readonly<Record<string, string>>;
  /** Relationships of the workbook, `r2` and on. */
  readonly links?: readonly Relationship[];
  readonly files?: Readonly<Record<string, string>>;
}

const SHAPE =
  '<p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/><p:sp><p:nvSpPr><p:cNvPr id="2" name="t"/><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr><a:xfrm><a:off x="600000" y="600000"/><a:ext cx="10000000" cy="5000000"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></p:spPr>';
/** The namespace declarations of presentations. */
export const DRAWING =
  'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"';

/** Builds a PowerPoint presentation with one text per slide. */
export function powerPoint(texts: readonly string[]): Promise<Buffer> {
  const slides = texts.map((text, index) => ({ text, name: `slides/slide${index + 1}.xml` }));
  const ids = slides.map((_, index) => `<p:sldId id="${256 + index}" r:id="r${index + 1}"/>`);
  const slide = (text: string) =>
    `<?xml version="1.0"?><p:sld ${DRAWING}><p:cSld><p:spTree>${SHAPE}<p:txBody><a:bodyPr/><a:p><a:r><a:rPr sz="2800"/><a:t>${text}</a:t></a:r></a:p></p:txBody></p:sp></p:spTree></p:cSld></p:sld>`;
  return officePackage({
    folder: 'ppt',
    main: 'presentation.xml',
    types: Object.fromEntries(slides.map(({ name }) => [`/ppt/${name}`, 'presentationml.slide+xml'])),
    files: {
      'ppt/presentation.xml': `<?xml version="1.0"?><p:presentation ${DRAWING} xmlns:r="${OFFICE}"><p:sldIdLst>${ids.join('')}</p:sldIdLst><p:sldSz cx="12192000" cy="6858000"/><p:notesSz cx="6858000" cy="9144000"/></p:presentation>`,
      'ppt/_rels/presentation.xml.rels': relationships(slides.map(({ name }) => ['slide', name])),
      ...Object.fromEntries(slides.map(({ name, text }) => [`ppt/${name}`, slide(text)])),
    },
  });
}
