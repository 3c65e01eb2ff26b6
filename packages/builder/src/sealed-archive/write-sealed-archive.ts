import { createHash } from 'node:crypto';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createZstdCompress } from 'node:zlib';
import { type Header, pack } from 'tar-stream';
import { createTailHash, makeSeal, NO_CONTENT, sealComment } from './seal.ts';

/** The header of an entry. `size` defaults to 0. */
export type EntryHeader = Partial<Header> & Pick<Header, 'name'>;

/** Adds an entry; resolves when the next one can be added. `content` must have exactly `header.size` bytes. */
export type AddEntry = (header: EntryHeader, content?: Iterable<Buffer> | AsyncIterable<Buffer>) => Promise<void>;

/** An archive being written. */
export interface SealedArchiveWriter {
  /** The archive: a zstd-compressed tar. */
  readonly stream: Readable;
  /** Resolves once the archive is completely written and read; rejects with the reason if it was aborted. */
  readonly done: Promise<void>;
}

/** Size of the two zero blocks that end every tar. */
const END_BYTES = 1_024;

/**
 * Writes an archive that reveals changes: each entry contains the checksum of the previous one, and the seal at the end
 * that of the whole archive. The archive is produced as it is read, in constant memory.
 * @param fill Adds all entries, one after the other. A rejection aborts the archive.
 */
export function writeSealedArchive(fill: (add: AddEntry) => Promise<void>): SealedArchiveWriter {
  const tar = pack();
  const whole = createTailHash(END_BYTES);
  let previous = NO_CONTENT;

  const add: AddEntry = async (header, content = []) => {
    const hash = createHash('sha256');
    const sink = tar.entry({ ...header, pax: sealComment(previous) });
    // The pipeline rejects with the same error; a later unhandled error event would end the process.
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
  // The first failure makes the other side fail, and the reader receives the error.
  filled.catch((error: Error) => tar.destroy(error));
  written.catch((error: Error) => stream.destroy(error));
  const done = Promise.allSettled([filled, written]).then((results) => {
    for (const result of results) if (result.status === 'rejected') throw result.reason;
  });
  return { stream, done };
}
