import type { Readable, Writable } from 'node:stream';
import { createError } from '@berth/contract';
import type { Clock } from '@berth/kit';

/** Time without a byte after which an upload is abandoned. */
const IDLE_MS = 60_000;

export interface PumpOptions {
  readonly clock: Clock;
  /** Maximum size of the whole body; unlimited by default. */
  readonly maxBytes?: number;
  readonly signal: AbortSignal;
}

/**
 * Pipes a request body into a parser, at the parser's pace. Unlike `pipeline`, it leaves the body open on failure:
 * destroying it would destroy the connection that the response needs.
 * @throws the signal's reason; `bad_request` when the parser refuses the body, the client disconnects, or nothing
 * arrives for a minute; `payload_too_large`.
 */
export async function pumpBody(
  body: Readable,
  parser: Writable,
  { clock, maxBytes = Number.POSITIVE_INFINITY, signal }: PumpOptions,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let receivedBytes = 0;
  const giveUp = () =>
    reject(createError('bad_request', 'The upload timed out after a minute without data. Send it again.'));
  let idle = clock.setTimer(IDLE_MS, giveUp);
  const onData = (chunk: Uint8Array) => {
    idle.cancel();
    idle = clock.setTimer(IDLE_MS, giveUp);
    receivedBytes += chunk.length;
    if (receivedBytes > maxBytes) reject(createError('payload_too_large', 'The form is too large.'));
  };
  const onGone = () => {
    if (!body.readableEnded) reject(createError('bad_request', 'The connection was closed during the upload.'));
  };
  const onAbort = () => reject(signal.reason);
  // Never removed: a connection that breaks later must find a listener.
  body.on('error', onGone);
  parser.on('error', (error: Error) =>
    reject(createError('bad_request', `The body is not well-formed multipart/form-data: ${error.message}.`)),
  );
  parser.once('finish', resolve);
  body.on('data', onData);
  body.once('close', onGone);
  signal.addEventListener('abort', onAbort);
  if (signal.aborted) onAbort();
  else if (body.destroyed) onGone();
  else body.pipe(parser);
  try {
    await promise;
  } finally {
    idle.cancel();
    body.unpipe(parser);
    body.off('data', onData);
    body.off('close', onGone);
    signal.removeEventListener('abort', onAbort);
  }
}
