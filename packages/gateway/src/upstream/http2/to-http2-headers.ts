import type { OutgoingHttpHeaders } from 'node:http2';
import type { UpstreamRequest } from '../../port/upstream.ts';

/** Converts the head of a request to HTTP/2 (RFC 9113 section 8.3.1): `Host` becomes `:authority`, names are in lower case. */
export function toHttp2Headers({ method, path, headers, body }: UpstreamRequest): OutgoingHttpHeaders {
  const out: Record<string, string | string[]> = { ':method': method, ':path': path, ':scheme': 'http' };
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i]!.toLowerCase();
    const value = headers[i + 1]!;
    const key = name === 'host' ? ':authority' : name;
    const before = out[key];
    if (before === undefined) out[key] = value;
    else out[key] = Array.isArray(before) ? [...before, value] : [before, value];
  }
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
