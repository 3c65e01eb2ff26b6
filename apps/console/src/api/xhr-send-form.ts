import type { FormAnswer, FormUpload, SendForm } from '@berth/client';

/** The part name of the archive. Source: docs/contract/control-plane.md §2. */
const ARCHIVE_PART = 'source_archive.0';

/**
 * {@link SendForm} over XMLHttpRequest: of what browsers have, it alone tells how far an upload is. It answers when the
 * headers are there, and hands the answer on as it comes.
 */
export function createXhrSendForm(createRequest: () => XMLHttpRequest = () => new XMLHttpRequest()): SendForm {
  return (upload) => {
    const { promise, resolve, reject } = Promise.withResolvers<FormAnswer>();
    const request = createRequest();
    const body = streamOf(request, upload);
    // `fetch` fails with a TypeError when there is no connection; the client knows it by that.
    request.onerror = () => reject(new TypeError('The connection failed.'));
    request.onabort = () => reject(upload.signal?.reason);
    request.onreadystatechange = () => {
      if (request.readyState !== XMLHttpRequest.HEADERS_RECEIVED || request.status === 0) return;
      const headers = new Headers();
      for (const line of request.getAllResponseHeaders().split('\r\n')) {
        const colon = line.indexOf(':');
        if (colon > 0) headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
      }
      resolve({ status: request.status, headers, body });
    };
    start(request, upload);
    return promise;
  };
}

function start(request: XMLHttpRequest, { url, headers, fields, archive, onProgress, signal }: FormUpload): void {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  if (archive) form.append(ARCHIVE_PART, archive, 'source.tar.gz');
  request.open('POST', url);
  for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
  if (archive) {
    const totalBytes = archive.size;
    request.upload.onloadstart = () => onProgress?.({ sentBytes: 0, totalBytes });
    // What is counted are the bytes of the whole form, which are a little more.
    request.upload.onprogress = ({ loaded, total }) =>
      onProgress?.({ sentBytes: Math.round((loaded / total) * totalBytes), totalBytes });
  }
  signal?.addEventListener('abort', () => request.abort(), { once: true });
  if (signal?.aborted) request.abort();
  else request.send(form);
}

/** The answer's text as bytes, piece by piece. */
function streamOf(request: XMLHttpRequest, { signal }: FormUpload): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let read = 0;
  return new ReadableStream({
    start(controller) {
      const push = () => {
        const text = request.responseText;
        if (text.length > read) controller.enqueue(encoder.encode(text.slice(read)));
        read = text.length;
      };
      request.addEventListener('progress', push);
      request.addEventListener('load', () => {
        push();
        controller.close();
      });
      request.addEventListener('error', () => controller.error(new TypeError('The connection was lost.')));
      request.addEventListener('abort', () => controller.error(signal?.reason));
    },
    cancel: () => request.abort(),
  });
}
