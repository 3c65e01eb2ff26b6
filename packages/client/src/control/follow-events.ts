import type { DeployEvent, DeployStatus } from '@berth/contract';
import { createError } from '@berth/contract/errors';
import { type BerthError, backoffMs, type Clock } from '@berth/kit';
import { type ByteStream, readChunks } from '../streams/read-chunks.ts';
import { readNdjson } from '../streams/read-ndjson.ts';
import { connectionError, isConnectionError } from '../transport/connection-error.ts';

/** Three of the 15 s heartbeats of a deploy stream missed in a row. Source: docs/contract/control-plane.md §2. */
const SILENCE_MS = 45_000;

/** How long a server may be gone, for a restart say, before the deploy is no longer waited for. */
const GIVE_UP_MS = 180_000;

const STATUSES: ReadonlySet<unknown> = new Set<DeployStatus>(['BUILDING', 'DEPLOYING', 'DONE', 'ERROR']);

export interface FollowOptions {
  /** The last `seq` already seen; 0 for all. */
  readonly after?: number;
  readonly signal?: AbortSignal | undefined;
  /** Called each time the stream broke and is about to be opened again. */
  readonly onReconnect?: (() => void) | undefined;
}

export interface EventSource {
  readonly baseUrl: string;
  readonly clock: Clock;
  /** A stream that is open already, read before any other. */
  readonly first?: ByteStream;
  /** Opens the events after `seq`. @throws BerthError */
  open(deployId: string, seq: number): Promise<ByteStream>;
  /** Needed when there is no `first`, whose events say it. */
  readonly deployId?: string;
}

/**
 * The events of a deploy, each once and in order, up to the one that ends it. A stream that breaks, falls silent or
 * ends too early is opened again where it stopped, for three minutes without any event.
 * @throws `unavailable` after that, or when the first stream broke before it named the deploy; the error of `open` when
 * it is not about the connection; the signal's reason.
 */
export async function* followEvents(source: EventSource, options: FollowOptions = {}): AsyncGenerator<DeployEvent> {
  const { clock, baseUrl } = source;
  const { signal } = options;
  let { deployId } = source;
  let seq = options.after ?? 0;
  let stream = source.first;
  let failures = 0;
  let heardAtMs = clock.monotonicMs();
  for (;;) {
    let failure: unknown;
    try {
      stream ??= await source.open(deployId ?? '', seq);
      for await (const event of readEvents(stream, clock, signal)) {
        failures = 0;
        heardAtMs = clock.monotonicMs();
        deployId = event.deploy_id;
        const isEnd = event.status === 'DONE' || event.status === 'ERROR';
        const isHeartbeat = event.message === '' && event.seq === undefined && !isEnd;
        if (isHeartbeat || (event.seq !== undefined && event.seq <= seq)) continue;
        seq = event.seq ?? seq;
        yield event;
        if (isEnd) return;
      }
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      const reason = connectionError(error, baseUrl);
      if (!isConnectionError(reason) && !isBusy(reason)) throw reason;
      failure = reason;
    }
    stream = undefined;
    if (deployId === undefined) {
      throw createError(
        'unavailable',
        `The connection to ${baseUrl} was lost right after the upload. The deploy may have started. Check the list of deployments.`,
        { details: { network: 'lost' }, cause: failure },
      );
    }
    if (clock.monotonicMs() - heardAtMs > GIVE_UP_MS) {
      throw createError(
        'unavailable',
        `${baseUrl} has not responded for three minutes. Deploy ${deployId} may still be running.`,
        {
          details: { network: 'lost', deployId },
          cause: failure,
        },
      );
    }
    options.onReconnect?.();
    await clock.sleep(backoffMs(failures++, { baseMs: 250, maxMs: 5_000 }), signal);
  }
}

/** A server that has just started, or is stopping, says 503. */
function isBusy(error: BerthError): boolean {
  return error.status === 503 || error.status === 429;
}

async function* readEvents(
  stream: ByteStream,
  clock: Clock,
  signal: AbortSignal | undefined,
): AsyncGenerator<DeployEvent> {
  for await (const value of readNdjson(readChunks(stream, { clock, idleMs: SILENCE_MS, signal }))) {
    if (!isEvent(value)) throw createError('internal', 'The server sent a line that is not a deploy event.');
    yield value;
  }
}

function isEvent(value: unknown): value is DeployEvent {
  if (typeof value !== 'object' || value === null) return false;
  const { status, message, deploy_id: deployId } = value as Record<string, unknown>;
  return STATUSES.has(status) && typeof message === 'string' && typeof deployId === 'string';
}
