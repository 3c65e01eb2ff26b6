/**
 * Headers that concern one connection only and are never passed on (RFC 9110 section 7.6.1, with the two `proxy-` ones
 * of older RFCs). `te` is handled where requests are built: its value `trailers` may go on.
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

/** True for a header (in lower case) that ends here. */
export function isHopByHop(lowerName: string): boolean {
  return HOP_BY_HOP.has(lowerName);
}

const NONE: ReadonlySet<string> = new Set();

/**
 * The headers that a `Connection` header names, in lower case: they end here too. `close` and `keep-alive` name none. A client can't
 * use it to take away what every request has.
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
