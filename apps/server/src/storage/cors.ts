import type { Exchange } from './exchange.ts';

/** Every page may use the signed URLs it has, because no cookie or other credential is read here. */
const ANSWER_HEADERS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers':
    'ETag, Last-Modified, Content-Range, Accept-Ranges, Content-Length, Repr-Digest, X-Request-Id, Location, Upload-Offset, Upload-Length, Upload-Expires, Tus-Resumable, Tus-Version, Tus-Extension',
} as const;

const PREFLIGHT_HEADERS = {
  'Access-Control-Allow-Methods': 'GET, HEAD, PUT, POST, PATCH, DELETE',
  'Access-Control-Allow-Headers':
    'Content-Type, Content-MD5, x-amz-checksum-sha256, Range, If-Match, If-None-Match, If-Range, Want-Repr-Digest, If-Modified-Since, If-Unmodified-Since, Tus-Resumable, Upload-Length, Upload-Offset, Upload-Metadata',
  'Access-Control-Max-Age': '86400',
} as const;

/** Adds the CORS headers that let every page read the response. */
export function allowEveryOrigin({ response }: Pick<Exchange, 'response'>): void {
  for (const [name, value] of Object.entries(ANSWER_HEADERS)) response.setHeader(name, value);
}

/** Answers a CORS preflight. It needs no signature because it does nothing. */
export function answerPreflight({ response }: Pick<Exchange, 'response'>): void {
  response
    .writeHead(204, {
      ...PREFLIGHT_HEADERS,
      'Tus-Resumable': '1.0.0',
      'Tus-Version': '1.0.0',
      'Tus-Extension': TUS_EXTENSIONS,
    })
    .end();
}

/** The tus extensions that are supported, as `Tus-Extension` lists them. */
export const TUS_EXTENSIONS = 'creation,creation-with-upload,expiration,termination';
