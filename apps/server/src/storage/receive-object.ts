import type { IncomingHttpHeaders } from 'node:http';
import { createError } from '@berth/contract';
import { parseEntityTags } from '@berth/http';
import type { ExpectedBytes, ObjectStore, Precondition, PutOptions, PutResult, VolumePlace } from '@berth/object-store';
import { type Exchange, IDLE_MS } from './exchange.ts';

/**
 * Stores the body of a PUT.
 * @throws BerthError `bad_request` for unsupported headers, and as {@link ObjectStore.put} does
 */
export async function receiveObject(
  { request, response }: Exchange,
  store: Pick<ObjectStore, 'put'>,
  place: VolumePlace,
  path: string,
): Promise<PutResult> {
  const options = readPutHeaders(request.headers);
  const gone = new AbortController();
  const giveUp = () => gone.abort(createError('bad_request', 'The upload was interrupted; nothing was stored.'));
  // No other event reports a client that disconnects between two chunks.
  response.once('close', giveUp);
  request.setTimeout(IDLE_MS, () => request.destroy());
  try {
    return await store.put(place, path, request, { ...options, isBodyOwned: true, signal: gone.signal });
  } finally {
    response.off('close', giveUp);
  }
}

/** Reads what a PUT expects of its bytes and of the object that it replaces. @throws BerthError `bad_request` for unsupported headers */
export function readPutHeaders(headers: IncomingHttpHeaders): ExpectedBytes & Pick<PutOptions, 'precondition'> {
  if (headers['content-range'] !== undefined) {
    throw createError(
      'bad_request',
      'A PUT stores a complete object. Use a resumable upload to send an object in parts.',
    );
  }
  if ((headers['content-encoding'] ?? 'identity') !== 'identity') {
    throw createError(
      'bad_request',
      'Content-Encoding is not supported. Send the bytes exactly as they should be stored.',
    );
  }
  return {
    sizeBytes: headers['content-length'] === undefined ? undefined : Number(headers['content-length']),
    md5: digestOf(headers, 'content-md5', 16),
    sha256: digestOf(headers, 'x-amz-checksum-sha256', 32),
    precondition: preconditionOf(headers),
  };
}

function digestOf(headers: IncomingHttpHeaders, name: string, bytes: number): Buffer | undefined {
  const text = headers[name];
  if (text === undefined) return undefined;
  const digest = Buffer.from(String(text), 'base64');
  if (digest.length === bytes && digest.toString('base64') === String(text).trim()) return digest;
  throw createError('bad_request', `${name} must be the ${bytes} bytes of the digest in base64.`);
}

function preconditionOf(headers: IncomingHttpHeaders): Precondition | undefined {
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = headers;
  if (ifNoneMatch !== undefined) {
    if (ifNoneMatch.trim() === '*' && ifMatch === undefined) return { isAbsent: true };
    throw createError(
      'bad_request',
      'A PUT supports only If-None-Match: *, which stores the object only if none exists.',
    );
  }
  if (ifMatch === undefined) return undefined;
  const etags = parseEntityTags(ifMatch);
  if (etags) return { etags };
  throw createError('bad_request', 'If-Match must be "*" or a list of entity tags.');
}
