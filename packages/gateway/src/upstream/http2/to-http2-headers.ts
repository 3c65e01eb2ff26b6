import type { OutgoingHttpHeaders } from 'node:http2';
import { toHeaderObject } from '../../headers/flat-headers.ts';
import type { UpstreamRequest } from '../../port/upstream.ts';

/** Converts the head of a request to HTTP/2 (RFC 9113 section 8.3.1): `Host` becomes `:authority`, names are in lower case. */
export function toHttp2Headers({ method, path, headers, body }: UpstreamRequest): OutgoingHttpHeaders {
  const out = toHeaderObject(headers, { ':method': method, ':path': path, ':scheme': 'http' }, ':authority');
  if (typeof body === 'number') out['content-length'] = String(body);
  return out;
}

/** Returns the headers of an HTTP/2 message without the pseudo-headers, flat. */
export function fromHttp2Headers(rawHeaders: readonly string[]): string[] {
  const headers: string[] = [];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (!rawHeaders[i]!.startsWith(':')) headers.push(rawHeaders[i]!, rawHeaders[i + 1]!);
  }
  return headers;
}
