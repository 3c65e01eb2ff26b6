import { type ClientRequest, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { FormAnswer, FormUpload, SendForm } from '../control/send-form.ts';
import type { ByteStream } from '../streams/read-chunks.ts';
import { encodeForm, type FormPart } from './encode-form.ts';
import { lookupLocalhost } from './localhost-fetch.ts';

/**
 * {@link SendForm} over node:http: constant memory, a declared length, progress as the socket takes the bytes, and an
 * answer that comes before the end of the upload (a refusal) is read instead of being lost in a broken pipe.
 */
export const sendFormOverHttp: SendForm = (upload) => {
  const { promise, resolve, reject } = Promise.withResolvers<FormAnswer>();
  const form = encodeForm(upload.fields, upload.archive);
  const open = upload.url.startsWith('https:') ? requestHttps : requestHttp;
  const request = open(upload.url, {
    method: 'POST',
    lookup: lookupLocalhost,
    headers: {
      ...upload.headers,
      'content-type': form.contentType,
      'content-length': form.sizeBytes,
      expect: '100-continue',
    },
    ...(upload.signal ? { signal: upload.signal } : {}),
  });
  let isAnswered = false;
  request.on('response', (answer) => {
    isAnswered = true;
    // A refusal leaves the rest of the upload without a reader.
    answer.once('close', () => request.destroy());
    resolve({
      status: answer.statusCode ?? 0,
      headers: { get: (name) => String(answer.headers[name.toLowerCase()] ?? '') || null },
      body: Readable.toWeb(answer) as ByteStream,
    });
  });
  request.on('error', reject);
  const onBodyError = (error: unknown) => {
    if (!isAnswered) reject(error);
  };
  afterLeave(request, () => {
    if (!isAnswered) sendBody(request, upload, form.parts()).catch(onBodyError);
  });
  return promise;
};

/** A server that knows nothing of `Expect` says nothing; RFC 9110 section 10.1.1 has the client begin then. */
const LEAVE_TIMEOUT_MS = 1_000;

/**
 * Calls `begin` once, when the server has said that it wants the body, so that a wrong key costs no upload. Not before
 * the connection is there: bytes that wait for one would be counted as sent.
 */
function afterLeave(request: ClientRequest, begin: () => void): void {
  const onConnect = () => {
    const timer = setTimeout(leave, LEAVE_TIMEOUT_MS);
    function leave() {
      clearTimeout(timer);
      request.off('continue', leave);
      begin();
    }
    request.on('continue', leave);
    request.once('close', () => clearTimeout(timer));
  };
  request.on('socket', (socket) => {
    if (socket.connecting) socket.once('connect', onConnect);
    else onConnect();
  });
}

async function sendBody(request: ClientRequest, upload: FormUpload, parts: AsyncIterable<FormPart>): Promise<void> {
  const totalBytes = upload.archive?.size ?? 0;
  let sentBytes = 0;
  if (upload.archive) upload.onProgress?.({ sentBytes, totalBytes });
  async function* bytes(): AsyncGenerator<Uint8Array> {
    for await (const part of parts) {
      yield part.bytes;
      // Reached when the socket wants more: what was yielded is on its way.
      if (!part.isArchive) continue;
      sentBytes += part.bytes.length;
      upload.onProgress?.({ sentBytes, totalBytes });
    }
  }
  await pipeline(Readable.from(bytes(), { highWaterMark: 1 }), request);
}
