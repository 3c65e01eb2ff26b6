import { ZipFile } from 'yazl';

/** Equal files make equal zips. */
const MODIFIED_AT = new Date('2026-01-01T00:00:00Z');

/** A zip of these files, in this order; a `mimetype` is stored as it is, as OpenDocument and EPUB want it. */
export async function zipOf(files: Readonly<Record<string, string | Uint8Array>>): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [name, content] of Object.entries(files)) {
    zip.addBuffer(Buffer.from(content), name, { compress: name !== 'mimetype', mtime: MODIFIED_AT });
  }
  zip.end();
  const chunks: Buffer[] = [];
  for await (const chunk of zip.outputStream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
