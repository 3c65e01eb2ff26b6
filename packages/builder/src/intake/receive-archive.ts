import { createHash } from 'node:crypto';
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createError } from '@berth/contract';
import { syncFolder } from '@berth/kit/node';
import { translateDiskError } from '../files/disk-error.ts';
import type { ReceiveOptions, StoredArchive } from '../port/builder.ts';

/** Options of {@link receiveArchive}. */
export interface ReceiveArchiveOptions extends ReceiveOptions {
  readonly folder: string;
  /** Name of the file; its temporary name has the prefix `.incoming-`. */
  readonly name: string;
}

/**
 * Streams `source` to `folder/name` and computes its hash, in constant memory. The file is complete and synced, or
 * absent.
 * @throws BerthError `archive_too_large` as soon as `maxBytes` are exceeded, `out_of_capacity` if the disk is full.
 */
export async function receiveArchive(source: Readable, options: ReceiveArchiveOptions): Promise<StoredArchive> {
  const { folder, name, maxBytes = Number.POSITIVE_INFINITY, signal } = options;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const temporary = join(folder, `.incoming-${name}`);
  const path = join(folder, name);
  const hash = createHash('sha256');
  let sizeBytes = 0;

  const write = async (file: FileHandle, chunks: AsyncIterable<Uint8Array>) => {
    for await (const chunk of chunks) {
      sizeBytes += chunk.byteLength;
      if (sizeBytes > maxBytes) {
        throw createError('archive_too_large', `The archive is over ${maxBytes} bytes.`, { details: { maxBytes } });
      }
      hash.update(chunk);
      await file.writeFile(chunk);
    }
  };

  try {
    await using file = await open(temporary, 'wx', 0o600);
    await pipeline(source, (chunks: AsyncIterable<Uint8Array>) => write(file, chunks), signal ? { signal } : {});
    await file.sync();
    await rename(temporary, path);
    await syncFolder(folder);
  } catch (error) {
    await rm(temporary, { force: true });
    await rm(path, { force: true });
    throw translateDiskError(error);
  }
  return { path, sizeBytes, sha256: hash.digest('hex') };
}
