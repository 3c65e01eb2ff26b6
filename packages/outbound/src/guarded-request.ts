import { isIP } from 'node:net';
import { createSystemClock } from '@berth/kit';
import { askAddress } from './ask-address.ts';
import type { GuardedRequestOptions, GuardedResponse } from './guarded-request-options.ts';
import { OutboundError } from './outbound-error.ts';
import { createRequestLife, type RequestLife } from './request-life.ts';

/** Maximum addresses of a name to try, one after another. */
export const MAX_ADDRESSES = 4;
const REDIRECTS: readonly (number | undefined)[] = [301, 302, 303, 307, 308];
/** Redirects that repeat the method and body. Source: RFC 9110 15.4.8, 15.4.9. */
const EXACT_REDIRECTS: readonly (number | undefined)[] = [307, 308];
const SAFE_METHODS: readonly string[] = ['GET', 'HEAD'];
/** Headers that another origin may get; any other may be a credential. */
const FOREIGN_HEADERS: readonly string[] = ['accept', 'accept-language', 'user-agent'];

/**
 * Requests a URL without ever connecting to an address that the rule refuses. The name is resolved here and every one
 * of its addresses checked. The connection goes to a checked address, not to the name, so that a second lookup can't
 * return another one. The socket's remote address is checked again before a byte is sent. The same holds for each
 * redirect; one to another origin loses the credentials, and must be GET or HEAD.
 * @throws OutboundError, and the signal's reason.
 */
export async function guardedRequest(options: GuardedRequestOptions): Promise<GuardedResponse> {
  const { clock = createSystemClock(), maxRedirects = 0, method = 'GET' } = options;
  let url = checkUrl(options.url, options);
  let { headers = {} } = options;
  const life = createRequestLife({ ...options, clock, host: () => url.host });
  try {
    for (let hop = 0; ; hop++) {
      const incoming = await askAny(url, { ...options, method, headers }, life);
      const { location } = incoming.headers;
      const next = maxRedirects > 0 && REDIRECTS.includes(incoming.statusCode) ? location : undefined;
      const target = next === undefined ? undefined : URL.parse(next, url);
      const isSafe = SAFE_METHODS.includes(method);
      const isExact = target?.origin === url.origin && EXACT_REDIRECTS.includes(incoming.statusCode);
      const isFollowed = isSafe || (isExact && (options.body === undefined || options.body instanceof Uint8Array));
      if (next === undefined || !isFollowed) {
        const { body, discard } = life.read(incoming);
        return { url: url.href, status: incoming.statusCode ?? 0, headers: incoming.headers, body, discard };
      }
      incoming.destroy();
      if (hop === maxRedirects) {
        throw new OutboundError('refused', `${url.host} redirects more than ${maxRedirects} times.`);
      }
      const to = checkUrl(target?.href ?? next, options);
      if (to.origin !== url.origin) headers = foreignHeaders(headers);
      url = to;
    }
  } catch (error) {
    throw life.fail(error);
  }
}

function checkUrl(text: string, { protocols }: GuardedRequestOptions): URL {
  const url = URL.parse(text);
  if (!url || !protocols.includes(url.protocol) || url.username !== '' || url.password !== '') {
    const schemes = protocols.map((protocol) => `${protocol}//`).join(' and ');
    throw new OutboundError('refused', `Only plain ${schemes} URLs without credentials are allowed.`);
  }
  return url;
}

function foreignHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => FOREIGN_HEADERS.includes(name.toLowerCase())));
}

/** Returns the head of the response of the first address that can be reached. */
async function askAny(url: URL, options: GuardedRequestOptions, life: RequestLife) {
  const addresses = await life.during(judgedAddresses(url, options));
  let failure: unknown;
  for (const address of addresses.slice(0, MAX_ADDRESSES)) {
    const headers = { ...options.headers, ...options.headersFor?.(address) };
    const body = options.bodyFor?.(address) ?? options.body;
    const asked = await askAddress(address, url, { ...options, headers, ...(body && { body }) }, life.signal).catch(
      (error: unknown) => ({
        error,
      }),
    );
    if (!('error' in asked)) return asked;
    if (life.signal.aborted) throw life.signal.reason;
    failure = asked.error;
    if (failure instanceof OutboundError) break;
  }
  throw failure instanceof OutboundError ? failure : unreachable(url.host, failure);
}

/** Returns the addresses of a URL's host. @throws OutboundError when the rule refuses one of them */
export async function judgedAddresses(
  url: URL,
  { resolve, isAllowed }: Pick<GuardedRequestOptions, 'resolve' | 'isAllowed'>,
): Promise<readonly string[]> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const addresses = isIP(host) === 0 ? await resolve(host) : [host];
  if (addresses.length === 0) throw new OutboundError('unreachable', `${host} has no address.`);
  // A private address among public ones is no accident: it is how a name is made to lead inside.
  if (!addresses.every((address) => isAllowed(address, url))) {
    throw new OutboundError('refused', `${host} resolves to a non-public address.`);
  }
  return addresses;
}

function unreachable(host: string, failure: unknown): OutboundError {
  const { code, message } = failure as NodeJS.ErrnoException;
  return new OutboundError('unreachable', code === undefined ? message : `${host} cannot be reached (${code}).`);
}
