import { ZipFile } from 'yazl';

/** A fixed time, so that equal files result in equal zips. */
const MODIFIED_AT = new Date('2026-01-01T00:00:00Z');

/** Builds a zip of files in the given order; `mimetype` is stored uncompressed, as OpenDocument and EPUB require. */
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
