import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, rename, rm, stat, utimes } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createError } from '@berth/contract/errors';
import type { BerthError } from '@berth/kit';
import type { RemoteObject } from './list-all-objects.ts';
import { requireFileTarget } from './require-file-target.ts';
import { retryTransfer } from './retry-transfer.ts';
import { RESUMABLE_BYTES, type TransferContext } from './transfer-context.ts';

/**
 * Downloads an object into a file, which is replaced when the download is complete and gets the object's time. A large interrupted
 * download is kept beside it, for the next try or run.
 */
export async function downloadFile(
  context: TransferContext,
  volume: string,
  object: RemoteObject,
  target: string,
): Promise<void> {
  const { onBytes } = context;
  let told = 0;
  const tell = (bytes: number) => {
    onBytes(bytes - told);
    told = bytes;
  };
  await requireFileTarget(target);
  await mkdir(path.dirname(target), { recursive: true });
  const part = partOf(target, object);
  try {
    await retryTransfer(() => getOnce(context, volume, object, part, tell), { ...context, progressBytes: () => told });
  } catch (error) {
    if (object.size < RESUMABLE_BYTES) await rm(part, { force: true });
    throw error;
  }
  const updated = new Date(object.updated);
  await utimes(part, updated, updated);
  await rename(part, target);
}

async function getOnce(
  { client, storage, signal }: TransferContext,
  volume: string,
  { path: object, size }: RemoteObject,
  part: string,
  tell: (bytes: number) => void,
): Promise<void> {
  let offset = size >= RESUMABLE_BYTES ? await sizeOf(part) : 0;
  if (offset > size) offset = 0;
  // An earlier run may have ended before it compared the digest, which comes with any byte.
  else if (offset === size) offset = Math.max(0, size - 1);
  tell(offset);
  const { url } = await client.post('/v1/volume/download', { body: { volume, object }, signal });
  const answer = await storage.send({
    method: 'GET',
    url,
    signal,
    headers: {
      ...(offset > 0 ? { Range: `bytes=${offset}-` } : {}),
      ...(size <= DIGEST_BYTES_MAX ? { 'Want-Repr-Digest': 'sha-256=1' } : {}),
    },
  });
  const expected = answer.headers['repr-digest'];
  if (answer.status !== 206) offset = 0;
  const file = createWriteStream(part, { flags: offset > 0 ? 'r+' : 'w', start: offset });
  answer.body.on('data', (chunk: Buffer) => {
    offset += chunk.length;
    tell(offset);
  });
  await pipeline(answer.body, file, { signal }).catch((error: Error) => {
    signal.throwIfAborted();
    throw brokenOff(object, error);
  });
  if (offset === size && (await isSame(part, expected, signal))) return;
  await rm(part, { force: true });
  throw brokenOff(
    object,
    new Error(
      offset === size
        ? 'checksum mismatch'
        : `${offset} of ${size} bytes received: the object changed during the download`,
    ),
  );
}

/** The server reads an object once for its digest. For a larger one only the length is compared. */
const DIGEST_BYTES_MAX = 16 * 2 ** 30;

/** Returns true when a file has the server's digest, or the store gave none. Source: RFC 9530. */
async function isSame(file: string, expected: string | string[] | undefined, signal: AbortSignal): Promise<boolean> {
  const digest = /sha-256=:([A-Za-z0-9+/=]+):/.exec(String(expected ?? ''))?.[1];
  if (digest === undefined) return true;
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash, { signal });
  return hash.digest('base64') === digest;
}

/** Returns the path of a partial download; each version of the object has another one. */
function partOf(target: string, { size, updated }: RemoteObject): string {
  const version = createHash('sha256').update(`${size} ${updated}`).digest('hex').slice(0, 8);
  return path.join(path.dirname(target), `.${path.basename(target).slice(0, 200)}.${version}.berth-part`);
}

async function sizeOf(file: string): Promise<number> {
  return stat(file).then(
    ({ size }) => size,
    () => 0,
  );
}

function brokenOff(object: string, cause: Error): BerthError {
  const message = `The download of ${object} broke off: ${cause.message}`;
  return createError('unavailable', message, { cause });
}
