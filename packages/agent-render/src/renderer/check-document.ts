import { open } from 'node:fs/promises';
import { formatTitle, type OfficeFormat } from './office-format.ts';
import { openContainer } from './open-container.ts';
import { refuseDocument } from './renderer.ts';

/** Signature of compound files, the containers of Office before 2007. Source: [MS-CFB] 2.2. */
const COMPOUND = Buffer.from('d0cf11e0a1b11ae1', 'hex');
/** Names of streams in compound files, as their directory spells them. */
const WORD = ['WordDocument'];
const EXCEL = ['Workbook', 'Book'];
const POWERPOINT = ['PowerPoint Document'];
/** Stream that holds a package with a password. Source: [MS-OFFCRYPTO] 2.3.4. */
const ENCRYPTED = ['EncryptedPackage'];

const CONTENT_TYPES = '[Content_Types].xml';
const PACKAGES = {
  docx: /wordprocessingml\.(document|template)\.main\+xml|ms-word\.(document|template)\.macroEnabled(Template)?\.main\+xml/,
  xlsx: /spreadsheetml\.(sheet|template)\.main\+xml|ms-excel\.(sheet|template)\.macroEnabled\.main\+xml/,
  pptx: /presentationml\.(presentation|slideshow|template)\.main\+xml|ms-powerpoint\.(presentation|slideshow|template)\.macroEnabled\.main\+xml/,
} as const;
const MIMETYPES = {
  odt: 'application/vnd.oasis.opendocument.text',
  ods: 'application/vnd.oasis.opendocument.spreadsheet',
  odp: 'application/vnd.oasis.opendocument.presentation',
  epub: 'application/epub+zip',
} as const;

/** Maximum size of the parts that identify a container's format. */
const MAX_PART_BYTES = 2 ** 20;

/**
 * Checks that a file's content matches its format, so that only that format's filter reads it, and that it doesn't
 * unpack to too many bytes.
 * @throws RenderError with the problem.
 */
export async function checkDocument(file: string, format: OfficeFormat): Promise<void> {
  const head = await readHead(file);
  const wrong = () =>
    refuseDocument(`The file is not a ${formatTitle(format)} inside. Rename the file to match its content.`);
  switch (format) {
    case 'rtf':
      return head.toString('latin1').startsWith('{\\rtf') ? undefined : wrong();
    case 'doc':
    case 'xls':
    case 'ppt': {
      const streams = { doc: WORD, xls: EXCEL, ppt: POWERPOINT }[format];
      return head.equals(COMPOUND) && (await hasStream(file, streams)) ? undefined : wrong();
    }
    default:
      if (head.equals(COMPOUND) && (await hasStream(file, ENCRYPTED))) refuseProtected();
      if (!head.toString('latin1').startsWith('PK')) wrong();
      return (await isContainerOf(file, format)) ? undefined : wrong();
  }
}

async function isContainerOf(file: string, format: keyof typeof PACKAGES | keyof typeof MIMETYPES): Promise<boolean> {
  await using container = await openContainer(file);
  if (format in PACKAGES) {
    const types = await container.read(CONTENT_TYPES, MAX_PART_BYTES);
    return types !== undefined && PACKAGES[format as keyof typeof PACKAGES].test(types.toString('utf8'));
  }
  const type = (await container.read('mimetype', MAX_PART_BYTES))?.toString('latin1').trim();
  const wanted = MIMETYPES[format as keyof typeof MIMETYPES];
  if (type !== wanted && type !== `${wanted}-template`) return false;
  if (format === 'epub') return true;
  const manifest = await container.read('META-INF/manifest.xml', MAX_PART_BYTES);
  if (manifest?.includes('encryption-data') || container.has('encrypted-package')) refuseProtected();
  return true;
}

/** Rejects a protected document. @throws RenderError always. */
export function refuseProtected(): never {
  refuseDocument('The file is protected. Remove the password or the protection first.');
}

async function readHead(file: string): Promise<Buffer> {
  await using handle = await open(file);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(COMPOUND.length), 0, COMPOUND.length, 0);
  return buffer.subarray(0, bytesRead);
}

/** Searches the whole file for the names: the directory of a compound file may lie in any of its sectors. */
async function hasStream(file: string, names: readonly string[]): Promise<boolean> {
  const wanted = names.map((name) => Buffer.from(`${name}\0`, 'utf16le'));
  await using handle = await open(file);
  let tail: Buffer = Buffer.alloc(0);
  for await (const chunk of handle.createReadStream({ autoClose: false }) as AsyncIterable<Buffer>) {
    const piece = Buffer.concat([tail, chunk]);
    if (wanted.some((name) => piece.includes(name))) return true;
    tail = piece.subarray(-64);
  }
  return false;
}
