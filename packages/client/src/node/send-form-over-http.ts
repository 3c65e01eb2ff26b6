import { type ClientRequest, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { FormAnswer, FormUpload, SendForm } from '../send-form.ts';
import { encodeForm, type FormPart } from './encode-form.ts';

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
    headers: { ...upload.headers, 'content-type': form.contentType, 'content-length': form.sizeBytes },
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
      body: answer,
    });
  });
  request.on('error', reject);
  const onBodyError = (error: unknown) => {
    if (!isAnswered) reject(error);
  };
  request.on('socket', (socket) => {
    // Bytes that wait for a connection would be counted as sent.
    const start = () => sendBody(request, upload, form.parts()).catch(onBodyError);
    if (socket.connecting) socket.once('connect', start);
    else start();
  });
  return promise;
};

async function sendBody(request: ClientRequest, upload: FormUpload, parts: AsyncIterable<FormPart>): Promise<void> {
  const totalBytes = upload.archive?.size ?? 0;
  let sentBytes = 0;
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
