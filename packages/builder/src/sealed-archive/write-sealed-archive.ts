import { createHash } from 'node:crypto';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createZstdCompress } from 'node:zlib';
import { type Header, pack } from 'tar-stream';
import { createTailHash, makeSeal, NO_CONTENT, sealComment } from './seal.ts';

/** What is said of an entry. A `size` that is left out is 0. */
export type EntryHeader = Partial<Header> & Pick<Header, 'name'>;

/** Adds an entry and resolves when there is room for the next. `content` has exactly `header.size` bytes. */
export type AddEntry = (header: EntryHeader, content?: Iterable<Buffer> | AsyncIterable<Buffer>) => Promise<void>;

export interface SealedArchiveWriter {
  /** A tar compressed with zstd. */
  readonly stream: Readable;
  /** Settles when all of it was written and read, or when it was broken off; rejects with the reason. */
  readonly done: Promise<void>;
}

/** Two zero blocks, by which every tar ends. */
const END_BYTES = 1_024;

/**
 * An archive that tells when it was changed: each entry says what the one before it held, and the seal at the end what all of the
 * archive was. It is written as it is read, in little memory.
 * @param fill Adds all entries, one after the other. What it rejects with breaks the archive off.
 */
export function writeSealedArchive(fill: (add: AddEntry) => Promise<void>): SealedArchiveWriter {
  const tar = pack();
  const whole = createTailHash(END_BYTES);
  let previous = NO_CONTENT;

  const add: AddEntry = async (header, content = []) => {
    const hash = createHash('sha256');
    const sink = tar.entry({ ...header, pax: sealComment(previous) });
    // The pipeline rejects with it; an error event that comes after that would end the process.
    sink.on('error', () => {});
    const hashed = async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        hash.update(chunk);
        yield chunk;
      }
    };
    await pipeline(content, hashed, sink);
    previous = hash.digest('hex');
  };
  const seal = new Transform({
    transform: (chunk: Buffer, _encoding, next) => next(null, whole.take(chunk)),
    flush: (next) => {
      makeSeal(previous, whole.end().sha256).then((bytes) => next(null, bytes), next);
    },
  });
  const stream = createZstdCompress({ params: { [constants.ZSTD_c_checksumFlag]: 1 } });
  const written = pipeline(tar, seal, stream);
  const filled = fill(add).then(() => tar.finalize());
  // Whichever fails first makes the other fail, and whoever reads learns of it.
  filled.catch((error: Error) => tar.destroy(error));
  written.catch((error: Error) => stream.destroy(error));
  const done = Promise.allSettled([filled, written]).then((results) => {
    for (const result of results) if (result.status === 'rejected') throw result.reason;
  });
  return { stream, done };
}
