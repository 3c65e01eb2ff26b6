import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createError } from '@berth/contract/errors';
import { BerthError } from '@berth/kit';
import { readCounted } from './read-counted.ts';
import { retryTransfer } from './retry-transfer.ts';
import type { TransferContext } from './transfer-context.ts';
import type { UploadJournal } from './upload-journal.ts';
import type { LocalFile } from './walk-files.ts';

/** Dependencies of an upload besides the file. */
export interface UploadContext extends TransferContext {
  readonly journal: UploadJournal;
}

/** Source: tus.io, protocol 1.0.0. */
const TUS = { 'Tus-Resumable': '1.0.0' };

/**
 * Uploads a file with the tus protocol and resumes interrupted uploads of this or an earlier run. The complete object is read back and
 * compared.
 * @returns false when the server's store doesn't support it
 */
export async function uploadResumable(
  context: UploadContext,
  volume: string,
  object: string,
  file: LocalFile,
): Promise<boolean> {
  const { client, storage, journal, signal, onBytes } = context;
  const { absolute, sizeBytes, modifiedAtMs } = file;
  const identity = { server: client.baseUrl, volume, object, file: absolute, sizeBytes, modifiedAtMs };
  let url = await journal.find(identity);
  let offset = 0;
  let told = 0;
  const tell = (bytes: number) => {
    onBytes(bytes - told);
    told = bytes;
  };

  const begin = async (): Promise<void> => {
    const signed = await client.post('/v1/volume/upload', { body: { volume, object, resumable: true }, signal });
    const headers = { ...TUS, 'Upload-Length': String(sizeBytes) };
    const answer = await storage.send({ method: 'POST', url: signed.url, headers, signal });
    answer.body.resume();
    const { location } = answer.headers;
    if (location === undefined) throw createError('bad_request', 'No Location.');
    url = new URL(location, signed.url).href;
    offset = 0;
    await journal.keep(identity, url);
  };
  /** Returns the server's offset; undefined when the upload has expired, or the answer has no offset in the file. */
  const ask = async (of: string): Promise<number | undefined> => {
    try {
      const answer = await storage.send({ method: 'HEAD', url: of, headers: TUS, signal });
      answer.body.resume();
      const stated = String(answer.headers['upload-offset']);
      return /^\d+$/.test(stated) && Number(stated) <= sizeBytes ? Number(stated) : undefined;
    } catch (error) {
      if (BerthError.is(error) && !error.isRetryable) return undefined;
      throw error;
    }
  };
  const sendRest = async (to: string): Promise<void> => {
    let sent = offset;
    const body = readCounted(absolute, { start: offset, end: sizeBytes }, (bytes) => {
      sent += bytes;
      tell(sent);
    });
    const headers = {
      ...TUS,
      'Upload-Offset': String(offset),
      'Content-Type': 'application/offset+octet-stream',
      'Content-Length': String(sizeBytes - offset),
    };
    const answer = await storage.send({ method: 'PATCH', url: to, headers, body, signal });
    answer.body.resume();
  };

  try {
    await retryTransfer(
      async () => {
        offset = (url === undefined ? undefined : await ask(url)) ?? -1;
        if (offset < 0) await begin();
        tell(offset);
        if (offset < sizeBytes && url !== undefined) await sendRest(url);
      },
      { ...context, progressBytes: () => offset },
    );
  } catch (error) {
    if (BerthError.is(error) && error.code === 'not_available') return false;
    throw error;
  }
  await journal.forget(identity);
  await compare(context, volume, object, absolute);
  return true;
}

/** Compares the stored object with the file. @throws BerthError when they differ */
async function compare(
  { client, storage, signal }: UploadContext,
  volume: string,
  object: string,
  absolute: string,
): Promise<void> {
  const { url } = await client.post('/v1/volume/download', { body: { volume, object }, signal });
  const there = createHash('sha256');
  const here = createHash('sha256');
  const { body } = await storage.send({ method: 'GET', url, signal });
  await Promise.all([pipeline(body, there, { signal }), pipeline(createReadStream(absolute), here, { signal })]);
  if (there.digest('hex') !== here.digest('hex')) {
    throw createError('bad_request', `The checksum of ${object} does not match the file. Upload it again.`);
  }
}
