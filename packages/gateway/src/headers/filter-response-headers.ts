import { isOwnCookie } from './cookie-guard.ts';
import { connectionTokens, isHopByHop } from './hop-by-hop.ts';

/**
 * Returns the headers of an instance's response that are forwarded to the client, in their order and spelling. Hop-by-hop headers and
 * cookies that the service may not set are removed. Also used for informational responses, handshakes and trailers.
 *
 * @param cookieHost the host of the request; `null` for the platform's own programs, which may set the platform's cookies.
 */
export function filterResponseHeaders(rawHeaders: readonly string[], cookieHost: string | null): string[] {
  const headers: string[] = [];
  const named = connectionTokens(joinedHeader(rawHeaders, 'connection'));
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!;
    const lower = name.toLowerCase();
    if (isHopByHop(lower) || named.has(lower)) continue;
    const value = rawHeaders[i + 1]!;
    if (lower === 'set-cookie' && cookieHost !== null && !isOwnCookie(value, cookieHost)) continue;
    headers.push(name, value);
  }
  return headers;
}

/** Returns all values of a header, joined by commas; undefined when there is none. */
function joinedHeader(rawHeaders: readonly string[], lowerName: string): string | undefined {
  let joined: string | undefined;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!;
    if (name.length !== lowerName.length || name.toLowerCase() !== lowerName) continue;
    joined = joined === undefined ? rawHeaders[i + 1]! : `${joined},${rawHeaders[i + 1]}`;
  }
  return joined;
}
