import type { ByteStream } from '../streams/read-chunks.ts';
import type { AnswerHead } from '../transport/response-error.ts';

/** How much of an archive is on its way. */
export interface UploadProgress {
  readonly sentBytes: number;
  readonly totalBytes: number;
}

/** One multipart form to send. */
export interface FormUpload {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly fields: Readonly<Record<string, string>>;
  /** Sent after the fields, so that a server can refuse them before the bytes come. */
  readonly archive?: Blob | undefined;
  /** Called with 0 when the first byte is about to go. */
  readonly onProgress?: ((progress: UploadProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface FormAnswer extends AnswerHead {
  readonly body: ByteStream;
}

/**
 * Sends a form and answers as soon as the answer's headers are there; any status is an answer.
 * @throws what the connection fails with.
 */
export type SendForm = (upload: FormUpload) => Promise<FormAnswer>;

/** The part name of the archive. Source: docs/contract/control-plane.md §2. */
export const ARCHIVE_PART = 'source_archive.0';

/**
 * {@link SendForm} over `fetch`, which runs anywhere but can't tell how far it is: progress is said once, at the end.
 */
export function createFetchSendForm(fetchForm: typeof fetch): SendForm {
  return async ({ url, headers, fields, archive, onProgress, signal }) => {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    if (archive) form.append(ARCHIVE_PART, archive, 'source.tar.gz');
    const answer = await fetchForm(url, {
      method: 'POST',
      headers,
      body: form,
      redirect: 'manual',
      ...(signal ? { signal } : {}),
    });
    if (archive) onProgress?.({ sentBytes: archive.size, totalBytes: archive.size });
    return { status: answer.status, headers: answer.headers, body: answer.body ?? new Blob().stream() };
  };
}
