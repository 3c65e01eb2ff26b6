import { createHash } from 'node:crypto';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createZstdDecompress } from 'node:zlib';
import { createError } from '@berth/contract/errors';
import { BerthError } from '@berth/kit';
import { extract, type Header } from 'tar-stream';
import { createTailHash, makeSeal, NO_CONTENT, readSealComment, SEAL_BYTES } from './seal.ts';

/** Receives an entry and reads its content completely or not at all. The seal is an entry too: a folder named `./`. */
export type OnEntry = (header: Header, content: AsyncIterable<Buffer>) => Promise<void>;

/** Options of {@link readArchive} and {@link checkArchive}. */
export interface ReadArchiveOptions {
  readonly signal: AbortSignal;
  readonly onEntry: OnEntry;
}

/**
 * Reads a zstd-compressed tar entry by entry. Checksums of entries are not verified; see {@link checkArchive}.
 * @throws BerthError `bad_request` if `source` isn't a zstd-compressed tar or is truncated.
 */
export async function readArchive(source: Readable, options: ReadArchiveOptions): Promise<void> {
  await readThrough(source, [], options);
}

/**
 * Reads an archive to its end and verifies that it is unchanged since `writeSealedArchive` wrote it. `onEntry` may
 * reject entries by throwing; it receives content before the content is verified.
 * @throws BerthError `bad_request` that names the changed entry if known.
 */
export async function checkArchive(
  source: Readable,
  { signal, onEntry }: ReadArchiveOptions,
): Promise<{
  /** False for an archive from another program, whose integrity can't be verified. */
  readonly isSealed: boolean;
}> {
  const whole = createTailHash(SEAL_BYTES);
  const pass = new Transform({
    transform(chunk: Buffer, _encoding, next) {
      whole.take(chunk);
      next(null, chunk);
    },
  });
  let [isMarked, name, before, previous] = [false, '', NO_CONTENT, NO_CONTENT];
  await readThrough(source, [pass], {
    signal,
    async onEntry(header, content) {
      const stated = readSealComment(header);
      if (stated !== undefined) {
        isMarked = true;
        // The comment of the seal has further text after the checksum.
        if (!stated.startsWith(previous))
          throw refuse(`The archive was changed or damaged: the checksum of "${name}" in it differs.`);
      }
      const hash = createHash('sha256');
      const hashed = async function* () {
        for await (const chunk of content) {
          hash.update(chunk);
          yield chunk;
        }
      };
      await onEntry(header, hashed());
      for await (const chunk of content) hash.update(chunk);
      [name, before, previous] = [header.name, previous, hash.digest('hex')];
    },
  });
  const { sha256, tail } = whole.end();
  if (tail.equals(await makeSeal(before, sha256))) return { isSealed: true };
  if (!isMarked) return { isSealed: false };
  throw refuse('The archive is truncated, changed or damaged: its checksum differs.');
}

async function readThrough(source: Readable, middle: readonly Transform[], { signal, onEntry }: ReadArchiveOptions) {
  const decompress = createZstdDecompress();
  let sizeBytes = 0;
  const count = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      sizeBytes += chunk.length;
      yield chunk;
    }
  };
  const tar = extract();
  const read = async () => {
    for await (const entry of tar) {
      await onEntry(entry.header, entry as AsyncIterable<Buffer>);
      entry.resume();
    }
  };
  try {
    await Promise.all([pipeline([source, count, decompress, ...middle, tar], { signal }), read()]);
  } catch (error) {
    signal.throwIfAborted();
    if (BerthError.is(error) || !isReadError(error)) throw error;
    throw refuse(`The archive can't be read: ${error.message}.`, error);
  }
  if (decompress.bytesWritten < sizeBytes)
    throw refuse('The archive was changed or damaged: it has data after its end.');
}

/** Reports whether an error comes from zstd or tar. File system errors describe themselves, including the path. */
function isReadError(error: unknown): error is Error {
  return error instanceof Error && !('syscall' in error);
}

function refuse(message: string, cause?: Error): BerthError {
  return createError('bad_request', message, { cause });
}
