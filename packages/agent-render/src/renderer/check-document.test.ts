import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bookToHtml } from '../epub/book-to-html.ts';
import { excelWorkbook, wordDocument, wordParagraph } from '../testing/office-packages.ts';
import { openDocument, openSlides, openText } from '../testing/open-documents.ts';
import { reachingDocuments } from '../testing/reaching-documents.ts';
import { readSample, SAMPLES } from '../testing/read-sample.ts';
import { zipOf } from '../testing/zip-of.ts';
import { checkDocument } from './check-document.ts';
import { type OfficeFormat, officeFormat } from './office-format.ts';
import { RenderError } from './renderer.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'berth-documents-'));
});
afterAll(() => rm(folder, { recursive: true }));

const store = async (bytes: Uint8Array) => {
  const file = path.join(folder, 'document');
  await writeFile(file, bytes);
  return file;
};
const check = async (bytes: Uint8Array, format: OfficeFormat) => checkDocument(await store(bytes), format);
const utf16 = (text: string) => Buffer.from(`${text}\0`, 'utf16le');
const COMPOUND = Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(600)]);
const HTML = Buffer.from('<html><img src="http://127.0.0.1/"></html>');
const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');

describe('a document', () => {
  it('is accepted in its format, whichever program wrote it', async () => {
    for (const name of Object.keys(SAMPLES) as (keyof typeof SAMPLES)[]) {
      await check(readSample(name), officeFormat(name)!);
    }
    for (const { name, bytes } of await reachingDocuments('http://127.0.0.1:1'))
      await check(bytes, officeFormat(name)!);
  });

  it('is rejected when its content doesn’t match its extension', async () => {
    const text = await openText('x');
    const wrong: readonly (readonly [OfficeFormat, Uint8Array])[] = [
      ...(['doc', 'docx', 'odt', 'rtf', 'ppt', 'xlsx', 'epub'] as const).flatMap((format) =>
        [HTML, PNG, Buffer.from('x'), Buffer.from('%PDF-1.4')].map((bytes) => [format, bytes] as const),
      ),
      ...(['docx', 'ods', 'odp', 'epub', 'doc', 'rtf'] as const).map((format) => [format, text] as const),
      ['xlsx', await wordDocument(wordParagraph('x'))],
      ['odt', await openSlides(['x'])],
      ['docx', await excelWorkbook('')],
      ['xls', readSample('libreoffice.doc')],
      ['ppt', readSample('xlwt.xls')],
      ['doc', COMPOUND],
      ['docx', COMPOUND],
      ['docx', await zipOf({ 'word/document.xml': '<x/>' })],
    ];
    for (const [format, bytes] of wrong) {
      await expect(check(bytes, format), format).rejects.toThrow(/Rename the file to match its content/);
    }
  });

  it('is rejected when it is protected, damaged or a zip bomb', async () => {
    await expect(check(Buffer.concat([COMPOUND, utf16('EncryptedPackage')]), 'docx')).rejects.toThrow(/protected/);
    const hidden = openDocument('text', '', { manifest: '<manifest:encryption-data/>' });
    await expect(check(await hidden, 'odt')).rejects.toThrow(/protected/);
    const whole = await openText('x'.repeat(5_000));
    for (const bytes of [whole.subarray(0, 200), whole.subarray(0, -10), Buffer.from('PK\x03\x04')]) {
      await expect(check(bytes, 'odt')).rejects.toThrow(/damaged/);
    }
    const bomb = await openText('x');
    // The directory says how much it holds: here that a part is of 3 GiB.
    bomb.writeUInt32LE(3 * 2 ** 30, bomb.lastIndexOf('PK\x01\x02') + 24);
    await expect(check(bomb, 'odt')).rejects.toThrow(/unpacks to more than 1024 MiB/);
    const many = await openText('x');
    many.writeUInt16LE(20_001, many.lastIndexOf('PK\x05\x06') + 10);
    await expect(check(many, 'odt')).rejects.toThrow(/more than 20000 parts/);
  });
});

describe('a book', () => {
  const book = async (page: string, files: Readonly<Record<string, string | Uint8Array>> = {}) =>
    bookToHtml(
      await store(
        await zipOf({
          mimetype: 'application/epub+zip',
          'META-INF/container.xml': '<c:container xmlns:c="x"><c:rootfile full-path="O%20 x/c.opf"/></c:container>',
          'O%20 x/c.opf':
            '<package><manifest><item id="a" href="t/a%23.xhtml"/><item id="n" href="nav.xhtml"/></manifest><spine><itemref idref="a"/><itemref idref="none"/></spine></package>',
          'O%20 x/t/a#.xhtml': page,
          'O%20 x/i.png': PNG,
          ...files,
        }),
      ),
    );

  it('becomes one page with its pictures and no external references', async () => {
    const html = await book(
      '<html><head><title>no</title></head><body><h1 onclick="x" style="y" dir="rtl">T &lt;b&gt;</h1><p>a<br/>b<a href="http://x/">c</a><svg><image xlink:href="../i.png"/></svg><img src="../../O%2520%20x/i.png"/><img src="http://x/i.png"/><img src="//x/i.png"/><img src="/etc/passwd"/><img src="file:///i.png"/><img src="data:image/png;base64,AA"/><script>x</script></p>',
    );
    const picture = `<img src="data:image/png;base64,${PNG.toString('base64')}">`;
    expect(html).toContain(`<body><h1 dir="rtl">T &#60;b&#62;</h1><p>a<br>bc${picture}${picture}</p></body>`);
    const { bytes } = (await reachingDocuments('http://127.0.0.1:1')).find(({ name }) => name.endsWith('epub'))!;
    expect(await bookToHtml(await store(bytes))).not.toMatch(/127\.0\.0\.1|url\(|src=/);
  });

  it('is rejected when it is protected, has no pages, or is too large', async () => {
    const hidden = { 'META-INF/encryption.xml': '<e:CipherReference xmlns:e="x" URI="O%2520%20x/t/a%23.xhtml"/>' };
    await expect(book('x', hidden)).rejects.toThrow(/protected/);
    await expect(book('x', { 'O%20 x/c.opf': '<package/>' })).rejects.toThrow(/has no pages/);
    await expect(book('x', { 'META-INF/container.xml': 'x' })).rejects.toThrow(RenderError);
    const picture = { 'O%20 x/i.png': Buffer.alloc(4 * 2 ** 20) };
    await expect(book('<img src="../i.png"/>'.repeat(100), picture)).rejects.toThrow(/more than 32 MiB/);
    expect(await book(`${'<div>'.repeat(5_000)}deep`)).toContain('deep');
  });
});
