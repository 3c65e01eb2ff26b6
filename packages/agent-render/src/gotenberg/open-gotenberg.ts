import { randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Outbound } from '@berth/agent-core';
import { OutboundError } from '@berth/outbound';
import { MAX_PDF_BYTES, RENDERED, RenderError, type Renderer } from '../renderer/renderer.ts';

/** Source: Gotenberg's documentation, "Convert with LibreOffice". */
const ROUTE = 'forms/libreoffice/convert';
/** The service may queue the request. */
const TIMEOUT_MS = 60_000;
/** Shown to users when the service is at fault, not the document. */
const UNAVAILABLE = 'The render service failed. Try again later.';

/**
 * Opens a renderer that uses a service with Gotenberg's HTTP API: the document is the form field `files`, the response
 * is the PDF.
 * @param outbound must be allowed to reach the service, which the owner configured. It is closed with the renderer.
 */
export function openGotenberg(url: string, outbound: Pick<Outbound, 'request' | 'close'>): Renderer {
  const endpoint = new URL(ROUTE, url.endsWith('/') ? url : `${url}/`).href;
  return {
    version: `gotenberg ${endpoint}`,
    close: outbound.close,
    async toPdf({ folder, document, signal }) {
      try {
        const file = path.join(folder, document);
        const boundary = `berth-${randomBytes(16).toString('hex')}`;
        const head = `--${boundary}\r\nContent-Disposition: form-data; name="files"; filename="${document}"\r\nContent-Type: application/octet-stream\r\n\r\n`;
        const foot = `\r\n--${boundary}--\r\n`;
        const { size } = await stat(file);
        const answer = await outbound.request({
          url: endpoint,
          method: 'POST',
          timeoutMs: TIMEOUT_MS,
          maxBytes: MAX_PDF_BYTES,
          signal,
          headers: {
            'Content-Type': `multipart/form-data; boundary=${boundary}`,
            'Content-Length': String(Buffer.byteLength(head) + size + Buffer.byteLength(foot)),
          },
          body: form(head, file, foot),
        });
        if (answer.status !== 200) {
          answer.discard();
          throw refusal(answer.status);
        }
        await pipeline(Readable.from(answer.body), createWriteStream(path.join(folder, RENDERED)), { signal });
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof OutboundError)) throw error;
        // The message must not contain the service's address; only the log does.
        const isLasting = error.fault === 'too_long';
        const message = isLasting ? 'The file is too large as a PDF.' : UNAVAILABLE;
        throw new RenderError(message, { isLasting, cause: error });
      }
    },
  };
}

async function* form(head: string, file: string, foot: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(head);
  yield* createReadStream(file) as AsyncIterable<Buffer>;
  yield Buffer.from(foot);
}

/** Converts a status to an error. A 4xx status is about the document, except for rate limits and authorization. */
function refusal(status: number): RenderError {
  const isLasting = [400, 413, 415, 422].includes(status);
  const message = isLasting
    ? "The render service can't read the file: it is damaged, too large or password-protected."
    : UNAVAILABLE;
  return new RenderError(message, { isLasting, cause: new Error(`the render service answered ${status}`) });
}
