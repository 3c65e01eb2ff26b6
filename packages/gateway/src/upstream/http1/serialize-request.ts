import type { UpstreamRequest } from '../../port/upstream.ts';

/** Returns the head of a request in wire format; latin1. */
export function serializeRequestHead({ method, path, headers, body, upgrade }: UpstreamRequest): string {
  let head = `${method} ${path} HTTP/1.1\r\n`;
  for (let i = 0; i < headers.length; i += 2) head += `${headers[i]}: ${headers[i + 1]}\r\n`;
  if (typeof body === 'number') head += `Content-Length: ${body}\r\n`;
  else if (body === 'chunked') head += 'Transfer-Encoding: chunked\r\n';
  if (upgrade !== undefined) head += `Connection: Upgrade\r\nUpgrade: ${upgrade}\r\n`;
  return `${head}\r\n`;
}

/** Returns the last chunk of a body, with its trailers; latin1. */
export function serializeLastChunk(rawTrailers: readonly string[]): string {
  let end = '0\r\n';
  for (let i = 0; i < rawTrailers.length; i += 2) end += `${rawTrailers[i]}: ${rawTrailers[i + 1]}\r\n`;
  return `${end}\r\n`;
}
