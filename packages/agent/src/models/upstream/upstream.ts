import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { type Clock, createSystemClock } from '@berth/kit';
import { readUpTo } from '@berth/outbound';
import type { ModelRequest } from '../model.ts';
import { ModelError } from '../model-error.ts';
import { faultOfAnswer } from './fault-of-answer.ts';
import { readEvents, sayNothing } from './read-events.ts';

export interface UpstreamOptions {
  /** The name in errors. */
  readonly name: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Masked wherever the upstream repeats it. */
  readonly secret?: string | undefined;
  /** Silence after which the connection counts as broken; models may think for a long time before the first word. */
  readonly silenceMs?: number | undefined;
  readonly clock?: Clock | undefined;
}

const SILENCE_MS = 300_000;
/** Bytes read of an error's body, and characters quoted of it. */
const ERROR_BYTES = 65_536;
/** Limit of an answer that is not streamed. */
const JSON_BYTES = 32 * 1_048_576;

/** The signal of a request, and who hears of its first byte. */
export type Waiter = Pick<ModelRequest, 'signal' | 'onFirstByte'>;

/**
 * Creates a client that keeps connections open: a TLS handshake for each answer would be most of the time to the first word.
 */
export function createUpstream(options: UpstreamOptions) {
  const { name, headers, secret, silenceMs = SILENCE_MS, clock = createSystemClock() } = options;
  const url = new URL(options.url);
  const isTls = url.protocol === 'https:';
  if (!isTls && url.protocol !== 'http:') throw new RangeError(`${options.url} is not an http:// or https:// URL.`);
  const agent = isTls ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true });
  const hide = (text: string) => (secret ? text.replaceAll(secret, '***') : text);

  const send = (body: Buffer, signal: AbortSignal): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const outgoing = (isTls ? requestHttps : requestHttp)(url, {
        method: 'POST',
        agent,
        signal,
        headers: {
          ...headers,
          'Content-Type': 'application/json',
          'Content-Length': body.length,
          Accept: 'text/event-stream, application/json',
          'User-Agent': 'berth-agent',
        },
      });
      const timer = clock.setTimer(silenceMs, () => outgoing.destroy(sayNothing(name, silenceMs)));
      outgoing.on('response', (incoming) => {
        timer.cancel();
        resolve(incoming);
      });
      outgoing.on('error', (error: NodeJS.ErrnoException) => {
        timer.cancel();
        // The server closed a kept-alive connection as it was reused; a new connection can retry safely.
        if (outgoing.reusedSocket && error.code === 'ECONNRESET' && !signal.aborted) {
          resolve(send(body, signal));
        } else reject(signal.aborted ? signal.reason : sayUnreachable(name, error));
      });
      outgoing.end(body);
    });

  return {
    /**
     * Sends a request and yields the `data` of the events, those of one packet at once. An upstream that does not stream yields its
     * whole answer as one.
     * @throws ModelError, and the signal's reason.
     */
    async *post(body: unknown, request: Waiter): AsyncGenerator<readonly string[]> {
      const { signal } = request;
      signal.throwIfAborted();
      const incoming = await send(Buffer.from(JSON.stringify(body)), signal);
      const status = incoming.statusCode ?? 0;
      if (status !== 200) {
        const text = hide(await readText(incoming, ERROR_BYTES).catch(() => ''));
        throw faultOfAnswer({ name, status, headers: incoming.headers, text, nowMs: clock.nowMs() });
      }
      const type = incoming.headers['content-type'] ?? '';
      if (type.includes('text/event-stream')) yield* readEvents(incoming, { name, silenceMs, clock, request });
      else if (type.includes('json')) yield [await readWhole(incoming, name, signal)];
      else {
        incoming.destroy();
        throw new ModelError('malformed', `${name} answered ${type || 'without a content type'}, not an event stream.`);
      }
    },
  };
}

async function readWhole(incoming: IncomingMessage, name: string, signal: AbortSignal): Promise<string> {
  try {
    return await readText(incoming, JSON_BYTES);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw new ModelError('cut', `${name} closed the connection during its response.`, { cause: error });
  }
}

async function readText(incoming: IncomingMessage, maxBytes: number): Promise<string> {
  return (await readUpTo(incoming, maxBytes)).body.toString('utf8');
}

function sayUnreachable(name: string, error: NodeJS.ErrnoException): ModelError {
  if (error instanceof ModelError) return error;
  const message = `${name} cannot be reached (${error.code ?? error.message}).`;
  return new ModelError('unreachable', message, { cause: error });
}
