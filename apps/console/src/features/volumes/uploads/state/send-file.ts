import type { Client } from '@berth/client';
import { createError } from '@berth/contract/errors';
import { BerthError, backoffMs, type Clock } from '@berth/kit';
import type { SendToStorage } from './storage-request.ts';

/** Size from which an upload is resumable. Smaller files are sent again from the start, which is as quick. */
export const RESUMABLE_BYTES = 16 * 2 ** 20;
/**
 * Size from which the target is checked before the upload, because the storage rejects it only after receiving all
 * bytes.
 */
const LOOKED_BYTES = 256 * 1_024;
/** Maximum consecutive failures without a byte of progress; about half a minute with the backoff. */
const TRIES = 6;
const BACKOFF = { baseMs: 500, maxMs: 15_000 };
/** Header of every tus request. Source: tus.io, protocol 1.0.0. */
const TUS = { 'Tus-Resumable': '1.0.0' };

/** Dependencies of {@link createSendFile}. */
export interface SendFileOptions {
  readonly client: Pick<Client, 'get' | 'post'>;
  readonly storage: SendToStorage;
  /** Storage of the tab in which upload URLs are kept, so that an upload can resume after a page reload. */
  readonly journal: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;
  readonly clock: Clock;
}

/** A file to upload, with its target and callbacks. */
export interface FileToSend {
  readonly volume: string;
  readonly object: string;
  readonly file: File;
  /** True to fail if the object already exists. */
  readonly isNew: boolean;
  readonly signal: AbortSignal;
  onSent(sentBytes: number): void;
  /** Called with true when the connection is lost, and with false when bytes flow again. */
  onInterrupted(isInterrupted: boolean): void;
}

/**
 * Uploads a file into a volume atomically: the object appears complete or not at all.
 * @throws `precondition_failed` if `isNew` is set and the object exists; errors that a retry would not fix
 */
export type SendFile = (file: FileToSend) => Promise<void>;

/** Returns a {@link SendFile} that retries with backoff and resumes large uploads over tus. */
export function createSendFile({ client, storage, journal, clock }: SendFileOptions): SendFile {
  /**
   * Retries `attempt` until it succeeds. With `isKept`, progress beyond the furthest byte so far resets the failure
   * count.
   */
  async function persist(
    upload: FileToSend,
    attempt: (onSent: (bytes: number) => void) => Promise<void>,
    isKept: boolean,
  ) {
    let best = 0;
    for (let failures = 0; ; ) {
      let sent = 0;
      try {
        return await attempt((bytes) => {
          sent = bytes;
          upload.onInterrupted(false);
          upload.onSent(bytes);
        });
      } catch (error) {
        upload.signal.throwIfAborted();
        failures = isKept && sent > best ? 1 : failures + 1;
        best = Math.max(best, sent);
        if (!BerthError.is(error) || !error.isRetryable || failures === TRIES) throw error;
        upload.onInterrupted(true);
        await clock.sleep(backoffMs(failures - 1, BACKOFF), upload.signal);
      }
    }
  }

  async function putWhole({ volume, object, file, isNew, signal }: FileToSend, onSent: (bytes: number) => void) {
    if (isNew && file.size >= LOOKED_BYTES) await requireAbsent(volume, object, signal);
    const { url } = await client.post('/v1/volume/upload', { body: { volume, object }, signal });
    const headers = isNew ? { 'If-None-Match': '*' } : {};
    await storage({ method: 'PUT', url, headers, body: file, onSent, signal });
  }

  async function goOn({ volume, object, file, isNew, signal }: FileToSend, onSent: (bytes: number) => void) {
    const key = `berth:upload:${JSON.stringify([volume, object, file.size, file.lastModified])}`;
    let url = journal.getItem(key);
    let offset = url === null ? undefined : await ask(url, signal);
    if (url === null || offset === undefined) {
      // Resumable uploads have no `If-None-Match`.
      if (isNew) await requireAbsent(volume, object, signal);
      const signed = await client.post('/v1/volume/upload', { body: { volume, object, resumable: true }, signal });
      const headers = { ...TUS, 'Upload-Length': String(file.size) };
      const location = (await storage({ method: 'POST', url: signed.url, headers, signal })).header('Location');
      if (location === null) throw new BerthError({ code: 'bad_request', status: 502, message: 'No Location.' });
      url = new URL(location, signed.url).href;
      offset = 0;
      journal.setItem(key, url);
    }
    const from = offset;
    onSent(from);
    if (from < file.size) {
      const headers = { ...TUS, 'Upload-Offset': String(from), 'Content-Type': 'application/offset+octet-stream' };
      const body = file.slice(from);
      await storage({ method: 'PATCH', url, headers, body, onSent: (bytes) => onSent(from + bytes), signal });
    }
    journal.removeItem(key);
  }

  async function requireAbsent(volume: string, object: string, signal: AbortSignal): Promise<void> {
    // macOS gives file names in NFD; the storage keeps them in NFC.
    const prefix = object.normalize('NFC');
    const { objects } = await client.get('/v1/volume/objects', {
      params: { query: { volume, prefix, limit: 1 } },
      signal,
    });
    if (objects[0]?.path === prefix) throw createError('precondition_failed', `There is a "${object}" already.`);
  }

  /** Returns the offset that the server has received; undefined if it no longer knows the upload. */
  async function ask(url: string, signal: AbortSignal): Promise<number | undefined> {
    try {
      return Number((await storage({ method: 'HEAD', url, headers: TUS, signal })).header('Upload-Offset'));
    } catch (error) {
      if (BerthError.is(error) && !error.isRetryable) return undefined;
      throw error;
    }
  }

  return async (upload) => {
    if (upload.file.size >= RESUMABLE_BYTES) {
      try {
        return await persist(upload, (onSent) => goOn(upload, onSent), true);
      } catch (error) {
        // Platforms that keep volumes in an object store have no resumable uploads; the file is sent whole.
        if (!BerthError.is(error, 'not_available')) throw error;
      }
    }
    await persist(upload, (onSent) => putWhole(upload, onSent), false);
  };
}
