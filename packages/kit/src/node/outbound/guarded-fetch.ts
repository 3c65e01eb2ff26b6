import { type IncomingHttpHeaders, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP } from 'node:net';
import type { AddressRule } from './address-rule.ts';

/** A request that is made because somebody who isn't trusted asked for it. */
export interface GuardedFetchOptions {
  /** Without credentials. */
  readonly url: string;
  /** The only ones that are spoken, redirects included: `http:`, `https:`. */
  readonly protocols: readonly string[];
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** The addresses of a host name. */
  resolve(host: string): Promise<readonly string[]>;
  readonly isAllowed: AddressRule;
  /** For all of it: names, connecting, redirects, the answer. */
  readonly timeoutMs: number;
  /** Of the body; a longer one is cut there. */
  readonly maxBytes: number;
  /** Redirects that are followed, each judged as the first address is; none by default: then they are the answer. */
  readonly maxRedirects?: number;
  readonly signal?: AbortSignal;
}

/** What was answered. */
export interface GuardedAnswer {
  /** Where it came from, after redirects. */
  readonly url: string;
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** At most `maxBytes` of it. */
  readonly body: Buffer;
  /** There was more. */
  readonly isCut: boolean;
}

/** Addresses of a name that are tried, one after another. */
const MAX_ADDRESSES = 4;
const REDIRECTS: readonly (number | undefined)[] = [301, 302, 303, 307, 308];
const SAFE_METHODS: readonly string[] = ['GET', 'HEAD'];

/**
 * Asks a URL without ever talking to an address that the rule refuses. The name is resolved here, every one of its
 * addresses is judged, and the connection goes to a judged address and not to the name, so that a second look-up can't
 * answer another one; the socket's far end is judged once more. The same holds for each redirect.
 * @throws Error with a sentence that says nothing of the network inside, and the signal's reason.
 */
export async function guardedFetch(options: GuardedFetchOptions): Promise<GuardedAnswer> {
  const { timeoutMs, signal, maxRedirects = 0, method = 'GET' } = options;
  const deadline = AbortSignal.timeout(timeoutMs);
  const both = signal ? AbortSignal.any([deadline, signal]) : deadline;
  let url = checkUrl(options.url, options);
  for (let hop = 0; ; hop++) {
    const late = () =>
      signal?.aborted ? signal.reason : new Error(`${url.host} did not answer in ${timeoutMs / 1_000} s.`);
    const incoming = await askAny(url, method, options, both, late);
    const { location } = incoming.headers;
    const isFollowed = maxRedirects > 0 && location !== undefined && SAFE_METHODS.includes(method);
    if (!isFollowed || !REDIRECTS.includes(incoming.statusCode)) {
      return { url: url.href, ...(await readAnswer(incoming, options.maxBytes, both, late)) };
    }
    incoming.destroy();
    if (hop === maxRedirects) throw new Error(`${url.host} redirects more than ${maxRedirects} times.`);
    url = checkUrl(URL.parse(location, url)?.href ?? location, options);
  }
}

function checkUrl(text: string, { protocols }: GuardedFetchOptions): URL {
  const url = URL.parse(text);
  if (!url || !protocols.includes(url.protocol) || url.username !== '' || url.password !== '') {
    const schemes = protocols.map((protocol) => `${protocol}//`).join(' and ');
    throw new Error(`Only plain ${schemes} addresses without credentials are asked.`);
  }
  return url;
}

/** The head of the answer of the first address that can be reached. */
async function askAny(
  url: URL,
  method: string,
  options: GuardedFetchOptions,
  signal: AbortSignal,
  late: () => unknown,
): Promise<IncomingMessage> {
  const addresses = await withDeadline(judgedAddresses(url, options), signal, late);
  let failure: unknown;
  for (const address of addresses.slice(0, MAX_ADDRESSES)) {
    try {
      return await ask(address, url, method, options, signal);
    } catch (error) {
      failure = error;
      if (signal.aborted) throw late();
    }
  }
  throw sayFailure(url.host, failure);
}

async function judgedAddresses(url: URL, { resolve, isAllowed }: GuardedFetchOptions): Promise<readonly string[]> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const addresses = isIP(host) === 0 ? await resolve(host) : [host];
  if (addresses.length === 0) throw new Error(`${host} has no address.`);
  // One bad address among good ones is no accident: it is how a name is bent inward.
  if (!addresses.every(isAllowed)) throw new Error(`${host} leads to an address that is not public.`);
  return addresses;
}

function ask(
  address: string,
  url: URL,
  method: string,
  { isAllowed, headers, body }: GuardedFetchOptions,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const isTls = url.protocol === 'https:';
    const name = url.hostname.replace(/^\[|\]$/g, '');
    const outgoing = (isTls ? requestHttps : requestHttp)({
      host: address,
      port: url.port === '' ? (isTls ? 443 : 80) : Number(url.port),
      method,
      path: url.pathname + url.search,
      // What the certificate is checked against; an address has no name to send.
      ...(isTls && isIP(name) === 0 && { servername: name }),
      headers: {
        'User-Agent': 'berth',
        Accept: '*/*',
        ...headers,
        Host: url.host,
        'Accept-Encoding': 'identity',
        Connection: 'close',
      },
      agent: false,
      maxHeaderSize: 16_384,
      signal,
    });
    outgoing.on('socket', (socket) =>
      socket.on('connect', () => {
        if (isAllowed(socket.remoteAddress ?? '')) return;
        outgoing.destroy(new Error(`${url.host} leads to an address that is not public.`));
      }),
    );
    outgoing.on('error', reject);
    outgoing.on('response', resolve);
    outgoing.end(body);
  });
}

async function readAnswer(
  incoming: IncomingMessage,
  maxBytes: number,
  signal: AbortSignal,
  late: () => unknown,
): Promise<Omit<GuardedAnswer, 'url'>> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of incoming as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      // Leaving the loop closes the connection.
      if (size > maxBytes) break;
    }
  } catch (error) {
    if (signal.aborted) throw late();
    throw sayFailure('The rest of the answer', error);
  }
  return {
    status: incoming.statusCode ?? 0,
    headers: incoming.headers,
    body: Buffer.concat(chunks).subarray(0, maxBytes),
    isCut: size > maxBytes,
  };
}

function sayFailure(what: string, failure: unknown): Error {
  const { code, message } = failure as NodeJS.ErrnoException;
  return new Error(code === undefined ? message : `${what} can not be reached (${code}).`);
}

async function withDeadline<Value>(work: Promise<Value>, signal: AbortSignal, late: () => unknown): Promise<Value> {
  const ended = Promise.withResolvers<never>();
  const onAbort = () => ended.reject(late());
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work, ended.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
    // Whichever lost the race has nobody else to wait for it.
    work.catch(() => {});
    ended.promise.catch(() => {});
  }
}
