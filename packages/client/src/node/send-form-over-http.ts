import { randomBytes } from 'node:crypto';
import { type ClientRequest, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ARCHIVE_PART, type FormAnswer, type FormUpload, type SendForm } from '../control/send-form.ts';
import type { ByteStream } from '../streams/read-chunks.ts';
import { lookupLocalhost } from './localhost-fetch.ts';

/**
 * {@link SendForm} over node:http: constant memory, a declared length, progress as the socket takes the bytes, and an
 * answer that comes before the end of the upload (a refusal) is read instead of being lost in a broken pipe.
 */
export const sendFormOverHttp: SendForm = (upload) => {
  const { promise, resolve, reject } = Promise.withResolvers<FormAnswer>();
  const { contentType, start, end } = encodeForm(upload.fields, upload.archive !== undefined);
  const open = upload.url.startsWith('https:') ? requestHttps : requestHttp;
  const request = open(upload.url, {
    method: 'POST',
    lookup: lookupLocalhost,
    headers: {
      ...upload.headers,
      'content-type': contentType,
      'content-length': start.length + (upload.archive?.size ?? 0) + end.length,
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
    if (!isAnswered) sendBody(request, upload, start, end).catch(onBodyError);
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

async function sendBody(request: ClientRequest, upload: FormUpload, start: Buffer, end: Buffer): Promise<void> {
  const { archive, onProgress } = upload;
  const totalBytes = archive?.size ?? 0;
  let sentBytes = 0;
  if (archive) onProgress?.({ sentBytes, totalBytes });
  async function* bytes(): AsyncGenerator<Uint8Array> {
    yield start;
    for await (const chunk of archive?.stream() ?? []) {
      yield chunk;
      // Reached when the socket wants more: what was yielded is on its way.
      sentBytes += chunk.length;
      onProgress?.({ sentBytes, totalBytes });
    }
    yield end;
  }
  await pipeline(Readable.from(bytes(), { highWaterMark: 1 }), request);
}

/** Returns a `multipart/form-data` body (RFC 7578) around an archive whose length is known before it is read. */
function encodeForm(fields: Readonly<Record<string, string>>, hasArchive: boolean) {
  const boundary = `berth-${randomBytes(18).toString('hex')}`;
  let head = '';
  for (const [name, value] of Object.entries(fields)) {
    head += `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  }
  if (hasArchive) {
    head +=
      `--${boundary}\r\nContent-Disposition: form-data; name="${ARCHIVE_PART}"; filename="source.tar.gz"\r\n` +
      'Content-Type: application/gzip\r\n\r\n';
  }
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    start: Buffer.from(head),
    end: Buffer.from(`${hasArchive ? '\r\n' : ''}--${boundary}--\r\n`),
  };
}
