import { trimmedSlice } from '../headers/flat-headers.ts';

/** The head of a usual HTTP/1.1 request. */
export interface PlainHead {
  readonly method: string;
  /** Origin form: path and query. */
  readonly url: string;
  /** Names and values in turn, as the client sent them. */
  readonly rawHeaders: string[];
  /** The headers of {@link READ}, by lower-case name. */
  readonly headers: Record<string, string>;
  /** `Content-Length`; undefined when there is none. */
  readonly contentLength: number | undefined;
  /** The client asks to close the connection after the answer. */
  readonly closes: boolean;
}

/** More headers are left to Node's parser, which has a limit of its own. */
const HEADERS_MAX = 100;

/**
 * A head without anything unusual: a common method, a path of characters that no parser treats differently, HTTP/1.1, header names that are
 * tokens, and values without control characters.
 */
const USUAL =
  /^(?:GET|HEAD|POST|PUT|DELETE|PATCH|OPTIONS) \/[\w\-.~:/?@!$&'()*+,;=%[\]]* HTTP\/1\.1\r\n(?:[!#$%&'*+\-.^_`|~0-9A-Za-z]+:[\t\x20-\x7e\x80-\xff]*\r\n)+$/;
/** Host and port without user information, as `settleTarget` requires. */
const AUTHORITY = /^(?:\[[\da-f:.]+\]|[\w.~%!$&'()*+,;=-]+)(?::\d*)?$/i;

/** The headers that the gateway and the storage listener read. One that is sent twice is left to Node, which has rules for each. */
const READ: ReadonlySet<string> = new Set([
  ...['accept', 'berth-timeout', 'connection', 'content-length', 'cookie', 'host', 'traceparent'],
  ...['user-agent', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'forwarded'],
  ...['content-encoding', 'content-md5', 'content-range', 'if-match', 'if-none-match', 'x-amz-checksum-sha256'],
]);
const READ_LENGTHS: ReadonlySet<number> = new Set([...READ].map(({ length }) => length));
/** Headers that change how a request is framed or served. Node's server knows how. */
const UNUSUAL: ReadonlySet<string> = new Set([
  'expect',
  'http2-settings',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
const UNUSUAL_LENGTHS: ReadonlySet<number> = new Set([...UNUSUAL].map(({ length }) => length));

/**
 * Reads a head that has nothing unusual. Node's parser accepts each head that it accepts, and reads it in the same way.
 * @param text the head with the line end of its last header, as latin1
 * @returns undefined for any other head
 */
export function parsePlainHead(text: string): PlainHead | undefined {
  if (!USUAL.test(text)) return undefined;
  const methodEnd = text.indexOf(' ');
  const lineEnd = text.indexOf('\r\n');
  const rawHeaders: string[] = [];
  const headers: Record<string, string> = {};
  for (let at = lineEnd + 2; at < text.length; ) {
    const colon = text.indexOf(':', at);
    const end = text.indexOf('\r\n', colon);
    const name = text.slice(at, colon);
    const value = trimmedSlice(text, colon + 1, end);
    rawHeaders.push(name, value);
    // Comparing lengths first avoids lower-casing most names.
    if (READ_LENGTHS.has(name.length) || UNUSUAL_LENGTHS.has(name.length)) {
      const lower = name.toLowerCase();
      if (UNUSUAL.has(lower)) return undefined;
      if (READ.has(lower)) {
        if (headers[lower] !== undefined) return undefined;
        headers[lower] = value;
      }
    }
    at = end + 2;
  }
  const { host, connection, 'content-length': length } = headers;
  if (rawHeaders.length > 2 * HEADERS_MAX || host === undefined || !AUTHORITY.test(host)) return undefined;
  if (length !== undefined && !/^\d{1,15}$/.test(length)) return undefined;
  const option = connection?.toLowerCase();
  if (option !== undefined && option !== 'keep-alive' && option !== 'close') return undefined;
  return {
    method: text.slice(0, methodEnd),
    url: text.slice(methodEnd + 1, lineEnd - HTTP_VERSION_LENGTH),
    rawHeaders,
    headers,
    contentLength: length === undefined ? undefined : Number(length),
    closes: option === 'close',
  };
}

/** ` HTTP/1.1` */
const HTTP_VERSION_LENGTH = 9;
