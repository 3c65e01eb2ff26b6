import { createHash, randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createError } from '@berth/contract';
import { evaluateConditions, isRangeWanted, parseRanges } from '@berth/http';
import type { ByteRange, OpenObject } from '@berth/object-store';
import { getMimeType } from 'hono/utils/mime';
import { type Exchange, IDLE_MS } from './exchange.ts';

/** Responds to a GET or HEAD with an object, with ranges of it, or with an error. */
export async function sendObject({ request, response }: Exchange, open: OpenObject): Promise<void> {
  const { object } = open;
  const { headers, method } = request;
  const type = getMimeType(object.path) ?? 'application/octet-stream';
  response.setHeader('ETag', object.etag);
  response.setHeader('Last-Modified', new Date(object.updatedAtMs).toUTCString());
  response.setHeader('Accept-Ranges', 'bytes');
  response.setHeader('Cache-Control', 'private, no-cache');
  const condition = evaluateConditions(headers, object);
  if (condition === 412) throw createError('precondition_failed', 'The object has changed.');
  if (condition === 304) {
    response.writeHead(304).end();
    return;
  }
  // Browsers may show stored files but must not run their scripts.
  response.setHeader('Content-Security-Policy', 'sandbox');
  response.setHeader('X-Content-Type-Options', 'nosniff');
  const isRanged =
    method === 'GET' && headers.range !== undefined && isRangeWanted(headers['if-range']?.toString(), object);
  const ranges = isRanged ? parseRanges(headers.range ?? '', object.sizeBytes) : undefined;
  if (ranges?.length === 0) {
    const details = { sizeBytes: object.sizeBytes };
    throw createError('range_not_satisfiable', `The object has ${object.sizeBytes} bytes.`, { details });
  }
  const digest = await reprDigest(headers, open);
  // The client may have disconnected meanwhile.
  if (response.destroyed) return;
  if (digest !== undefined) response.setHeader('Repr-Digest', digest);
  response.setTimeout(IDLE_MS, () => response.destroy());
  if (ranges && ranges.length > 1) return sendParts(response, open, ranges, type);
  const [range] = ranges ?? [];
  response.setHeader('Content-Type', type);
  response.setHeader('Content-Length', range ? lengthOf(range) : object.sizeBytes);
  if (range) response.setHeader('Content-Range', contentRange(range, object.sizeBytes));
  response.statusCode = range ? 206 : 200;
  if (method === 'HEAD') response.end();
  else if (open.eachPiece) {
    await open.eachPiece(createResponseSink(response), range);
    response.end();
  } else await pipeline(open.read(range), response);
}

/** Sends `multipart/byteranges` (RFC 9110 section 14.6). */
async function sendParts(
  response: Exchange['response'],
  open: OpenObject,
  ranges: readonly ByteRange[],
  type: string,
): Promise<void> {
  const boundary = randomBytes(16).toString('hex');
  const { sizeBytes } = open.object;
  const heads = ranges.map((range) =>
    Buffer.from(
      `\r\n--${boundary}\r\nContent-Type: ${type}\r\nContent-Range: ${contentRange(range, sizeBytes)}\r\n\r\n`,
    ),
  );
  const end = Buffer.from(`\r\n--${boundary}--\r\n`);
  const bytes = ranges.reduce((sum, range, index) => sum + (heads[index]?.length ?? 0) + lengthOf(range), end.length);
  response.writeHead(206, { 'Content-Type': `multipart/byteranges; boundary=${boundary}`, 'Content-Length': bytes });
  const body = async function* () {
    for (const [index, range] of ranges.entries()) {
      yield heads[index];
      yield* open.read(range);
    }
    yield end;
  };
  await pipeline(Readable.from(body(), { objectMode: false }), response);
}

function contentRange({ first, last }: ByteRange, sizeBytes: number): string {
  return `bytes ${first}-${last}/${sizeBytes}`;
}

function lengthOf({ first, last }: ByteRange): number {
  return last - first + 1;
}

/** Matches a request for a SHA-256 digest. */
const WANTED = /(?:^|[,\s])sha-256\s*(?:=\s*[1-9]\d?)?\s*(?:,|$)/i;

/**
 * Returns the digest of the whole object if the request wants one, also for a range, so that a resumed download can be checked as a
 * whole. It reads the object once before the response begins.
 * Source: RFC 9530, `Want-Repr-Digest`.
 */
async function reprDigest(headers: IncomingHttpHeaders, open: OpenObject): Promise<string | undefined> {
  const wanted = headers['want-repr-digest'];
  if (typeof wanted !== 'string' || !WANTED.test(wanted)) return undefined;
  const hash = createHash('sha256');
  for await (const chunk of open.read(undefined)) hash.update(chunk as Buffer);
  return `sha-256=:${hash.digest('base64')}:`;
}

/**
 * Creates a function that writes to a response and resolves when the bytes have left this process.
 * @throws Error when the client has disconnected, because Node then calls no write callback
 */
function createResponseSink(response: ServerResponse): (piece: Uint8Array) => Promise<void> {
  const waiting = new Set<(error: Error) => void>();
  let gone: Error | undefined;
  response.once('close', () => {
    gone = new Error('the client went away');
    for (const reject of waiting) reject(gone);
  });
  return (piece) =>
    new Promise((resolve, reject) => {
      if (gone) {
        reject(gone);
        return;
      }
      waiting.add(reject);
      response.write(piece, (error) => {
        waiting.delete(reject);
        if (error) reject(error);
        else resolve();
      });
    });
}
