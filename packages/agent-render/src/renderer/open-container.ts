import type { Readable } from 'node:stream';
import { codeOf } from '@berth/kit/node';
import { type Entry, openPromise } from 'yauzl';
import { RenderError, refuseDocument } from './renderer.ts';

/** Limits of an unpacked document: far above a deck of videos and pictures, far below a zip bomb. */
const MAX_ENTRIES = 20_000;
const MAX_UNPACKED_BYTES = 1024 * 2 ** 20;

/** The zip container of a document. */
export type Container = Awaited<ReturnType<typeof openContainer>>;

/** Opens a container. @throws RenderError when the file isn't a zip, or would unpack to too many bytes. */
export async function openContainer(file: string) {
  try {
    const zip = await openPromise(file, { autoClose: false });
    const entries = new Map<string, Entry>();
    const container = {
      /** Reports whether an entry exists. */
      has: (name: string): boolean => entries.has(name),
      /**
       * Reads an entry; undefined when it doesn't exist.
       * @throws RenderError when it is damaged, encrypted or larger than `maxBytes`.
       */
      async read(name: string, maxBytes: number): Promise<Buffer | undefined> {
        const entry = entries.get(name);
        if (!entry) return undefined;
        if (entry.isEncrypted()) refuseDocument('The file is password-protected.');
        if (entry.uncompressedSize > maxBytes) refuseDocument(`"${name}" in the file is too large.`);
        return await zip.openReadStreamPromise(entry).then(readAll).catch(translate);
      },
      [Symbol.asyncDispose]: async () => zip.close(),
    };
    try {
      if (zip.entryCount > MAX_ENTRIES) refuseDocument(`The file has more than ${MAX_ENTRIES} parts.`);
      let unpacked = 0;
      for await (const entry of zip.eachEntry()) {
        unpacked += entry.uncompressedSize;
        if (unpacked > MAX_UNPACKED_BYTES) {
          refuseDocument(`The file unpacks to more than ${MAX_UNPACKED_BYTES / 2 ** 20} MiB.`);
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

/** Reads a stream to its end. The library enforces the entry's declared size. */
async function readAll(stream: Readable): Promise<Buffer> {
  return Buffer.concat(await stream.toArray());
}

function translate(error: unknown): never {
  // Codes such as EIO are disk errors; zlib's codes are about the document.
  if (error instanceof RenderError || codeOf(error)?.startsWith('E')) throw error;
  refuseDocument('The file is damaged or not a document.', error);
}
