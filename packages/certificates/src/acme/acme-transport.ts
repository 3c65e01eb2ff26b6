import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { getCACertificates } from 'node:tls';
import { describeReason } from '../store/certificate.ts';
import { AcmeFailure, describeProblem, parseRetryAfterMs, problemType } from './acme-failure.ts';

/** A response in the shape that acme-client reads. */
export interface AcmeResponse {
  readonly status: number;
  /** Headers by lower-case name. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The body: parsed if it is JSON, otherwise text. */
  readonly data: unknown;
}

/** Sends a request to an ACME server. @throws AcmeFailure, or the signal's reason. */
export type AcmeTransport = (
  url: string,
  method: string,
  options?: { readonly data?: unknown },
) => Promise<AcmeResponse>;

/** Options of {@link createAcmeTransport}. */
export interface AcmeTransportOptions {
  /** PEM of certificate authorities to trust in addition to the machine's, for a private ACME server. */
  readonly ca?: string | undefined;
  readonly signal: AbortSignal;
  nowMs(): number;
}

/** Timeout of a request. Servers respond within seconds; failed requests are retried later. */
const TIMEOUT_MS = 30_000;

/** Maximum size of a response. A certificate chain has a few KiB. */
const MAX_BODY_BYTES = 1_048_576;

/** Creates a transport that requires verified TLS, follows no redirects, and limits the time and size of responses. */
export function createAcmeTransport({ ca, signal, nowMs }: AcmeTransportOptions): AcmeTransport {
  const trusted = ca === undefined ? undefined : [...getCACertificates('default'), ca];
  return async (url, method, { data } = {}) => {
    const body = data === undefined ? undefined : JSON.stringify(data);
    const response = await send(new URL(url), method.toUpperCase(), body, trusted, signal);
    const { status, headers } = response;
    const type = problemType(response.data);
    // acme-client itself retries with a fresh nonce. Source: RFC 8555 6.5.
    if (status < 400 || type === 'badNonce') return response;
    const said = describeProblem(response.data) ?? `it answered ${status}`;
    const retryAfter = headers['retry-after'];
    throw new AcmeFailure(`The ACME server refused ${new URL(url).pathname}: ${said}`, {
      type,
      retryAfterMs: parseRetryAfterMs(typeof retryAfter === 'string' ? retryAfter : undefined, nowMs()),
    });
  };
}

async function send(
  url: URL,
  method: string,
  body: string | undefined,
  ca: string[] | undefined,
  signal: AbortSignal,
): Promise<AcmeResponse> {
  const deadline = AbortSignal.timeout(TIMEOUT_MS);
  try {
    if (url.protocol !== 'https:') throw new Error('its address must begin with https://');
    // Source: RFC 8555 6.2.
    const content = body !== undefined && {
      'Content-Type': 'application/jose+json',
      'Content-Length': Buffer.byteLength(body),
    };
    const outgoing = request(url, {
      method,
      ...(ca ? { ca } : {}),
      signal: AbortSignal.any([signal, deadline]),
      headers: { 'User-Agent': 'berth', ...content },
    });
    // An error while the body arrives is the reader's too.
    outgoing.on('error', () => {}).end(body);
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of incoming as AsyncIterable<Buffer>) {
      size += chunk.length;
      chunks.push(chunk);
      if (size > MAX_BODY_BYTES) throw new Error('its response is too long');
    }
    const { statusCode: status = 0, headers } = incoming;
    return { status, headers, data: parse(Buffer.concat(chunks).toString('utf8'), headers['content-type'] ?? '') };
  } catch (cause) {
    signal.throwIfAborted();
    const reason = deadline.aborted ? `no answer in ${TIMEOUT_MS / 1_000} s` : describeReason(cause);
    throw new AcmeFailure(`The ACME server ${url.host} cannot be reached: ${reason}`, { cause });
  }
}

function parse(text: string, contentType: string): unknown {
  if (!/^application\/([\w.-]+\+)?json\b/i.test(contentType)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
