import { BerthError } from '@berth/kit';

/** A request to a signed URL; it carries no other credentials. */
export interface StorageCall {
  readonly method: 'PUT' | 'POST' | 'HEAD' | 'PATCH';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Blob;
  /** Called with the number of bytes of the body that were sent. */
  onSent?(sentBytes: number): void;
  readonly signal: AbortSignal;
}

/** A successful response of the storage. */
export interface StorageAnswer {
  header(name: string): string | null;
}

/**
 * Sends a request to the storage. @throws BerthError: a retryable `unavailable` without a response or for a 5xx;
 * otherwise with the storage's own message
 */
export type SendToStorage = (call: StorageCall) => Promise<StorageAnswer>;

const CODES: Readonly<Record<number, string>> = {
  403: 'forbidden',
  404: 'not_found',
  409: 'conflict',
  410: 'not_found',
  412: 'precondition_failed',
  507: 'insufficient_storage',
};
/** Maximum length of an error message taken from a response body. */
const SENTENCE_CHARACTERS = 500;
/** Time without progress after which an upload is aborted. */
const SILENCE_MS = 60_000;

/** Returns a {@link SendToStorage} over XMLHttpRequest, the only browser API that reports upload progress. */
export function createXhrStorage(createRequest: () => XMLHttpRequest = () => new XMLHttpRequest()): SendToStorage {
  return ({ method, url, headers = {}, body, onSent, signal }) =>
    new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const request = createRequest();
      const abort = () => request.abort();
      let silence: ReturnType<typeof setTimeout> | undefined;
      const move = () => {
        clearTimeout(silence);
        silence = setTimeout(abort, SILENCE_MS);
      };
      request.open(method, url);
      for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
      request.upload.onprogress = ({ loaded }) => {
        move();
        onSent?.(loaded);
      };
      request.onloadend = () => {
        clearTimeout(silence);
        signal.removeEventListener('abort', abort);
        if (signal.aborted) reject(signal.reason);
        else if (request.status >= 200 && request.status < 300) {
          resolve({ header: (name) => request.getResponseHeader(name) });
        } else reject(toError(request.status, request.responseText));
      };
      signal.addEventListener('abort', abort, { once: true });
      move();
      request.send(body ?? null);
    });
}

/** Returns the error for a failed response. @param status 0 if there was no response */
function toError(status: number, body: string): BerthError {
  const isRetryable = status === 0 || status === 408 || status === 429 || (status >= 500 && status !== 507);
  return new BerthError({
    code: isRetryable ? 'unavailable' : (CODES[status] ?? 'bad_request'),
    status: status === 0 ? 503 : status,
    isRetryable,
    message:
      sentenceOf(body) ||
      (status === 0 ? 'The connection to the storage broke off.' : `The storage answered ${status}.`),
  });
}

/** Returns the message in an error body: `detail` of JSON, or a line of text. */
function sentenceOf(body: string): string {
  try {
    const { detail } = JSON.parse(body) as { detail?: unknown };
    if (typeof detail === 'string') return detail.slice(0, SENTENCE_CHARACTERS);
  } catch {
    // The body is not JSON: tus answers with text, S3 with XML.
  }
  return body.trim().slice(0, SENTENCE_CHARACTERS);
}
