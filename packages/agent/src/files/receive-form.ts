import type { Readable } from 'node:stream';
import { createError, createValidationError } from '@berth/contract';
import { type AnyContext, pumpBody, requestBody } from '@berth/http';
import type { Clock } from '@berth/kit';
import { Busboy, type BusboyInstance } from '@fastify/busboy';

/** A file of a form, as it arrives. */
export interface FormFile {
  /** Name of the form's field. */
  readonly field: string;
  /** The client's name of the file, including folders. */
  readonly fileName: string | undefined;
  readonly type: string;
  readonly bytes: Readable;
}

export interface ReceiveFormOptions {
  readonly clock: Clock;
  /** Limit of the whole body. */
  readonly maxBytes: number;
  /** Receives each file in turn and reads it to its end; an error ends the reading of the form. */
  onFile(file: FormFile, signal: AbortSignal): Promise<void>;
}

/** Files of one form. */
const MAX_PARTS = 10_000;
const MAX_HEADER_BYTES = 16 * 1024;

/**
 * Reads a form of files as it arrives, of any number and size.
 * @throws `unsupported_media_type`, `bad_request`, `payload_too_large`, and what `onFile` throws.
 */
export async function receiveForm(c: AnyContext, { clock, maxBytes, onFile }: ReceiveFormOptions): Promise<void> {
  const parser = createParser(c.req.header('content-type') ?? '');
  const failed = new AbortController();
  let work: Promise<void> = Promise.resolve();
  parser.on('file', (field: string | undefined, stream, fileName: string | undefined, _encoding, type) => {
    // What goes wrong while no one reads it any more has been told already.
    stream.on('error', () => {});
    const file = { field: field ?? '', fileName, type, bytes: stream as Readable };
    work = work.then(() => onFile(file, failed.signal));
    // Refused as soon as it is known, not when the form ends.
    work.catch((error: unknown) => failed.abort(error));
    // Whoever reads it would wait for bytes that never come.
    failed.signal.addEventListener('abort', () => stream.destroy(failed.signal.reason as Error), { once: true });
  });
  for (const limit of ['filesLimit', 'partsLimit'] as const) {
    parser.on(limit, () => {
      const msg = `a form has at most ${MAX_PARTS} files`;
      failed.abort(createValidationError([{ loc: ['body'], msg, type: 'too_many_files' }]));
    });
  }
  try {
    await pumpBody(requestBody(c), parser, { clock, maxBytes, signal: failed.signal });
    await work;
  } catch (error) {
    failed.abort(error);
    await work.catch(() => {});
    throw error;
  }
}

function createParser(contentType: string): BusboyInstance {
  if (!/^multipart\/form-data\s*(;|$)/i.test(contentType)) {
    throw createError('unsupported_media_type', 'Send the files as Content-Type: multipart/form-data.');
  }
  try {
    return new Busboy({
      headers: { 'content-type': contentType as `multipart/${string}` },
      preservePath: true,
      // A file that comes without a name is one all the same.
      isPartAFile: () => true,
      limits: { files: MAX_PARTS, parts: MAX_PARTS, headerSize: MAX_HEADER_BYTES },
    });
  } catch {
    throw createError('bad_request', 'The Content-Type has no boundary, so the form cannot be read.');
  }
}
