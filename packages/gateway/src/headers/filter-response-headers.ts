import { isOwnCookie } from './cookie-guard.ts';
import { connectionTokens, isHopByHop } from './hop-by-hop.ts';

/**
 * The headers that go on to the client: the instance's, in their order and spelling, without those of its connection and without
 * cookies that it may not set. Heads, informational heads, handshakes and trailers all pass here.
 *
 * @param cookieHost the authority under which a service was asked; `null` for the platform's own programs, which set the platform's cookies.
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

/** All values of a header, by its name in lower case, as one list; undefined when there is none. */
function joinedHeader(rawHeaders: readonly string[], lowerName: string): string | undefined {
  let joined: string | undefined;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!;
    if (name.length !== lowerName.length || name.toLowerCase() !== lowerName) continue;
    joined = joined === undefined ? rawHeaders[i + 1]! : `${joined},${rawHeaders[i + 1]}`;
  }
  return joined;
}
