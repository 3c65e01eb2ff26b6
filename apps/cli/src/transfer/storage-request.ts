import { Agent as HttpAgent, request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { lookupLocalhost } from '@berth/client/node';
import { createError } from '@berth/contract/errors';
import { BerthError } from '@berth/kit';

/** A request to a signed URL. */
export interface StorageCall {
  readonly method: 'PUT' | 'GET' | 'HEAD' | 'POST' | 'PATCH';
  /** The signed URL. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** An iterable must yield as many bytes as `Content-Length` says. */
  readonly body?: AsyncIterable<Buffer> | Buffer;
  readonly signal: AbortSignal;
}

/** A response with an expected status. Its body must be read. */
export interface StorageAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: IncomingMessage;
}

/** A transfer without progress for this long fails. */
const SILENCE_MS = 60_000;
/** Maximum characters of an error's body that are printed. */
const SENTENCE_CHARACTERS = 500;

/** Sends requests to signed URLs over keep-alive connections. */
export type StorageClient = ReturnType<typeof createStorageClient>;

/** Creates a {@link StorageClient}. */
export function createStorageClient() {
  const agents = { 'http:': new HttpAgent({ keepAlive: true }), 'https:': new HttpsAgent({ keepAlive: true }) };
  return {
    /**
     * Sends a request.
     * @throws BerthError `unavailable`, which is retryable, without a response or for a 5xx; else with the server's sentence
     */
    async send({ method, url, headers = {}, body, signal }: StorageCall): Promise<StorageAnswer> {
      const { protocol } = new URL(url);
      const isSecure = protocol === 'https:';
      const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
      const agent = agents[isSecure ? 'https:' : 'http:'];
      const options = { method, headers: { ...headers }, agent, lookup: lookupLocalhost, signal };
      const outgoing = isSecure ? httpsRequest(url, options, resolve) : httpRequest(url, options, resolve);
      outgoing.on('error', reject);
      outgoing.setTimeout(SILENCE_MS, () => outgoing.destroy(new Error('no data for one minute')));
      if (body === undefined || Buffer.isBuffer(body)) outgoing.end(body);
      else pipeline(body, outgoing).catch(reject);
      const answer = await promise.catch((error: Error) => {
        signal.throwIfAborted();
        throw createError('unavailable', `The transfer failed: ${error.message}`, { cause: error });
      });
      const status = answer.statusCode ?? 0;
      if (status >= 200 && status < 300) return { status, headers: answer.headers, body: answer };
      throw await refusal(status, answer);
    },
    [Symbol.dispose](): void {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

async function refusal(status: number, answer: IncomingMessage): Promise<BerthError> {
  const body = await text(answer).catch(() => '');
  const code = { 403: 'forbidden', 404: 'not_found', 409: 'conflict', 412: 'conflict', 507: 'insufficient_storage' };
  return new BerthError({
    code: status >= 500 && status !== 507 ? 'unavailable' : (code[status as keyof typeof code] ?? 'bad_request'),
    status,
    isRetryable: (status >= 500 && status !== 507) || status === 408 || status === 429,
    message: sentenceOf(body) || `The storage answered ${status}.`,
  });
}

/** Returns the sentence of an error: `detail` of JSON, or a line of text. */
function sentenceOf(body: string): string {
  try {
    const { detail } = JSON.parse(body) as { detail?: unknown };
    if (typeof detail === 'string') return detail.slice(0, SENTENCE_CHARACTERS);
  } catch {
    // Not JSON: tus answers with text, S3 with XML.
  }
  return body.trim().slice(0, SENTENCE_CHARACTERS);
}
