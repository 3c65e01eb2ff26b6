import type { IncomingMessage } from 'node:http';
import type { Clock } from '@berth/kit';
import { OutboundError } from './outbound-error.ts';

export interface RequestLifeOptions {
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly silenceMs?: number;
  readonly totalMs?: number;
  readonly maxBytes?: number;
  readonly signal?: AbortSignal;
  /** Host for error messages. */
  host(): string;
}

/** The time limits of a request, from its first step to the last byte of its response. */
export interface RequestLife {
  /** Aborts when the request is over before its end, with the error to throw. */
  readonly signal: AbortSignal;
  /** Returns the result of `work`, or throws when the request is over. */
  during<Value>(work: Promise<Value>): Promise<Value>;
  /** Starts to limit the silence of the response. */
  read(incoming: IncomingMessage): { readonly body: AsyncIterable<Uint8Array>; discard(): void };
  /** Ends the request, and returns the error to throw. */
  fail(error: unknown): unknown;
}

export function createRequestLife(options: RequestLifeOptions): RequestLife {
  const { clock, timeoutMs, silenceMs = timeoutMs, totalMs, maxBytes = Number.POSITIVE_INFINITY, host } = options;
  const controller = new AbortController();
  const { signal } = controller;
  const lateAfter = (ms: number) =>
    clock.setTimer(ms, () =>
      controller.abort(new OutboundError('late', `${host()} did not answer in ${ms / 1_000} s.`)),
    );
  const headTimer = lateAfter(timeoutMs);
  const totalTimer = totalMs === undefined ? undefined : lateAfter(totalMs);
  const onAbort = () => controller.abort(options.signal?.reason);
  options.signal?.addEventListener('abort', onAbort, { once: true });
  if (options.signal?.aborted) onAbort();

  const end = () => {
    headTimer.cancel();
    totalTimer?.cancel();
    options.signal?.removeEventListener('abort', onAbort);
  };
  const fail = (error: unknown) => {
    end();
    return signal.aborted ? signal.reason : error;
  };

  async function* bytesOf(incoming: IncomingMessage): AsyncGenerator<Uint8Array> {
    let size = 0;
    const source = (incoming as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
    try {
      for (;;) {
        const silence = lateAfter(silenceMs);
        const next = await source.next().finally(() => silence.cancel());
        if (next.done) return;
        size += next.value.byteLength;
        if (size > maxBytes) {
          throw new OutboundError('too_long', `${host()} answered more than ${maxBytes} bytes.`);
        }
        yield next.value;
      }
    } catch (error) {
      if (error instanceof OutboundError || signal.aborted) throw signal.aborted ? signal.reason : error;
      const { code } = error as NodeJS.ErrnoException;
      throw new OutboundError('broken', `The rest of the response could not be read (${code ?? 'it was cut off'}).`);
    } finally {
      end();
      // A connection can be reused only when the response was read completely.
      if (!incoming.readableEnded) incoming.destroy();
    }
  }

  return {
    signal,
    async during(work) {
      const ended = Promise.withResolvers<never>();
      const onEnd = () => ended.reject(signal.reason);
      if (signal.aborted) onEnd();
      signal.addEventListener('abort', onEnd, { once: true });
      try {
        return await Promise.race([work, ended.promise]);
      } finally {
        signal.removeEventListener('abort', onEnd);
        // No one else awaits the loser of the race.
        work.catch(() => {});
        ended.promise.catch(() => {});
      }
    },
    read(incoming) {
      headTimer.cancel();
      // The body may never be read; its error must not be unhandled.
      incoming.on('error', () => {});
      return {
        body: bytesOf(incoming),
        discard() {
          end();
          incoming.destroy();
        },
      };
    },
    fail,
  };
}
