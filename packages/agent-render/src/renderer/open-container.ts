import type { Readable } from 'node:stream';
import { codeOf } from '@berth/kit/node';
import { type Entry, openPromise } from 'yauzl';
import { RenderError, refuseDocument } from './renderer.ts';

/** Bounds of what a document may unpack to; a deck of films and pictures is far below, a bomb far above. */
const MAX_ENTRIES = 20_000;
const MAX_UNPACKED_BYTES = 1024 * 2 ** 20;

/** The zip that most documents are. */
export interface Container extends AsyncDisposable {
  has(name: string): boolean;
  /** Undefined when it is not there. @throws RenderError when it is damaged, encrypted or has more bytes. */
  read(name: string, maxBytes: number): Promise<Buffer | undefined>;
}

/** @throws RenderError when it is no zip, or would unpack to more than is reasonable. */
export async function openContainer(file: string): Promise<Container> {
  try {
    const zip = await openPromise(file, { autoClose: false });
    const entries = new Map<string, Entry>();
    const container: Container = {
      has: (name) => entries.has(name),
      async read(name, maxBytes) {
        const entry = entries.get(name);
        if (!entry) return undefined;
        if (entry.isEncrypted()) refuseDocument('It is protected by a password.');
        if (entry.uncompressedSize > maxBytes) refuseDocument(`"${name}" in it is too large.`);
        return await zip.openReadStreamPromise(entry).then(readAll).catch(translate);
      },
      [Symbol.asyncDispose]: async () => zip.close(),
    };
    try {
      if (zip.entryCount > MAX_ENTRIES) refuseDocument(`It holds more than ${MAX_ENTRIES} parts.`);
      let unpacked = 0;
      for await (const entry of zip.eachEntry()) {
        unpacked += entry.uncompressedSize;
        if (unpacked > MAX_UNPACKED_BYTES) {
          refuseDocument(`It unpacks to more than ${MAX_UNPACKED_BYTES / 2 ** 20} MiB.`);
        }
        entries.set(entry.fileName, entry);
      }
      return container;
    } catch (error) {
      zip.close();
      throw error;
    }
  } catch (error) {
    return translate(error);
  }
}

/** The library holds a part to the size that it was said to have. */
async function readAll(stream: Readable): Promise<Buffer> {
  return Buffer.concat(await stream.toArray());
}

function translate(error: unknown): never {
  // Codes such as EIO are of the disk; those of zlib are of the document.
  if (error instanceof RenderError || codeOf(error)?.startsWith('E')) throw error;
  refuseDocument('It is damaged: it was not stored whole, or is no document.', error);
}
