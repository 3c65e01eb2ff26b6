/**
 * Headers that apply to a single connection and are never forwarded (RFC 9110 section 7.6.1, and `proxy-` headers of older RFCs).
 * `te: trailers` may be forwarded; buildRequestHeaders handles it.
 */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'transfer-encoding',
  'upgrade',
]);

/** Returns true for a hop-by-hop header; the name is in lower case. */
export function isHopByHop(lowerName: string): boolean {
  return HOP_BY_HOP.has(lowerName);
}

const NONE: ReadonlySet<string> = new Set();

/**
 * Returns the header names in a `Connection` header, in lower case. These headers are not forwarded either. `close` and `keep-alive`
 * name no header. `host` and `content-length` are ignored, so that a client cannot remove them.
 */
export function connectionTokens(connection: string | undefined): ReadonlySet<string> {
  if (connection === undefined || connection === 'keep-alive' || connection === 'close') return NONE;
  const tokens = new Set<string>();
  for (const part of connection.split(',')) {
    const token = part.trim().toLowerCase();
    if (token !== '' && token !== 'host' && token !== 'content-length') tokens.add(token);
  }
  return tokens;
}
