import { randomBytes } from 'node:crypto';
import { ARCHIVE_PART } from '../control/send-form.ts';

/** A piece of a form's body. */
export interface FormPart {
  readonly bytes: Uint8Array;
  /** Whether it is a piece of the archive, as against the form around it. */
  readonly isArchive: boolean;
}

export interface EncodedForm {
  readonly contentType: string;
  readonly sizeBytes: number;
  /** The body; may be read once. */
  parts(): AsyncGenerator<FormPart>;
}

/** A `multipart/form-data` body (RFC 7578) whose length is known before its archive is read. */
export function encodeForm(fields: Readonly<Record<string, string>>, archive: Blob | undefined): EncodedForm {
  const boundary = `berth-${randomBytes(18).toString('hex')}`;
  let head = '';
  for (const [name, value] of Object.entries(fields)) {
    head += `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  }
  if (archive) {
    head +=
      `--${boundary}\r\nContent-Disposition: form-data; name="${ARCHIVE_PART}"; filename="source.tar.gz"\r\n` +
      'Content-Type: application/gzip\r\n\r\n';
  }
  const start = Buffer.from(head);
  const end = Buffer.from(`${archive ? '\r\n' : ''}--${boundary}--\r\n`);
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    sizeBytes: start.length + (archive?.size ?? 0) + end.length,
    async *parts() {
      yield { bytes: start, isArchive: false };
      if (archive) for await (const bytes of archive.stream()) yield { bytes, isArchive: true };
      yield { bytes: end, isArchive: false };
    },
  };
}
