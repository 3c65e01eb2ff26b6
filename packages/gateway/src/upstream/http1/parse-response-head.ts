import { trimmedSlice } from '../../headers/flat-headers.ts';
import { UpstreamError, type UpstreamResponse } from '../../port/upstream.ts';

/** The head of a response, with the fields that decide framing and connection reuse. */
export interface ResponseHead extends UpstreamResponse {
  /** Minor version: 0 or 1. */
  readonly minorVersion: number;
  /** `Content-Length`; undefined when there is none. */
  readonly contentLength: number | undefined;
  /** Whether the response has `Transfer-Encoding: chunked`. */
  readonly isChunked: boolean;
  /** All values of `Connection`, comma-separated and in lower case. */
  readonly connection: string;
  /** `timeout` of `Keep-Alive`, in seconds. */
  readonly keepAliveSeconds: number | undefined;
}

const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: (.*))?$/;
const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** A character that is not allowed in a line: control characters except the tab (RFC 9110 section 5.5). */
const BAD_CHARACTER = /[^\t\x20-\x7e\x80-\xff]/;

/**
 * Parses a response head strictly. A head that two parsers could frame differently is refused (RFC 9112 sections 5 and 6).
 *
 * @param text the bytes before the empty line, as latin1.
 * @throws UpstreamError `protocol`.
 */
export function parseResponseHead(text: string): ResponseHead {
  let lineEnd = text.indexOf('\r\n');
  if (lineEnd < 0) lineEnd = text.length;
  const statusLine = text.slice(0, lineEnd);
  const match = STATUS_LINE.exec(statusLine);
  if (match === null || BAD_CHARACTER.test(statusLine)) throw bad('its status line is not HTTP/1');

  const rawHeaders: string[] = [];
  let contentLength: number | undefined;
  let isChunked = false;
  let connection = '';
  let keepAliveSeconds: number | undefined;
  for (let start = lineEnd + 2; start < text.length; start = lineEnd + 2) {
    lineEnd = text.indexOf('\r\n', start);
    if (lineEnd < 0) lineEnd = text.length;
    const colon = text.indexOf(':', start);
    if (colon < 0 || colon > lineEnd) throw bad('a header has no colon');
    const name = text.slice(start, colon);
    const value = trimmedSlice(text, colon + 1, lineEnd);
    // A folded line begins with white space, so it fails here too.
    if (!NAME.test(name)) throw bad('a header name is not a token');
    if (BAD_CHARACTER.test(value)) throw bad(`the header ${name} holds a control character`);
    rawHeaders.push(name, value);
    // Comparing lengths first avoids lower-casing every other name.
    if (name.length === 10) {
      const lower = name.toLowerCase();
      if (lower === 'connection')
        connection = connection === '' ? value.toLowerCase() : `${connection},${value.toLowerCase()}`;
      else if (lower === 'keep-alive') keepAliveSeconds = readKeepAlive(value);
    } else if (name.length === 14 && name.toLowerCase() === 'content-length') {
      if (contentLength !== undefined || !/^\d{1,15}$/.test(value)) throw bad('its Content-Length is not one number');
      contentLength = Number(value);
    } else if (name.length === 17 && name.toLowerCase() === 'transfer-encoding') {
      if (isChunked || value.toLowerCase() !== 'chunked') throw bad('its Transfer-Encoding is not "chunked"');
      isChunked = true;
    }
  }
  if (isChunked && contentLength !== undefined) throw bad('it has both Content-Length and Transfer-Encoding');
  return {
    status: Number(match[2]),
    statusMessage: match[3] ?? '',
    rawHeaders,
    minorVersion: Number(match[1]),
    contentLength,
    isChunked,
    connection,
    keepAliveSeconds,
  };
}

/** Returns true when `list`, a comma-separated header value in lower case, contains `token`. */
export function hasToken(list: string, token: string): boolean {
  return list !== '' && (list === token || list.split(',').some((each) => each.trim() === token));
}

function readKeepAlive(value: string): number | undefined {
  const match = /(?:^|[,\s])timeout\s*=\s*"?(\d{1,9})/i.exec(value);
  return match === null ? undefined : Number(match[1]);
}

function bad(why: string): UpstreamError {
  return new UpstreamError('protocol', `the response is not valid HTTP: ${why}`);
}
