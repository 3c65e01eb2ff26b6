import type { ServerResponse } from 'node:http';
import { type Clock, describeError, type Logger } from '@berth/kit';
import { drained } from './drained.ts';

/** The events of a stream, and how to send them. */
export interface EventPumpOptions {
  /** The first of `texts`, already requested. */
  readonly first: Promise<IteratorResult<string>>;
  readonly texts: AsyncIterator<string>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly silenceMs: number;
  readonly silence: string;
  readonly opening?: string | undefined;
  /** Aborts to disconnect the client, whatever waits to be sent. */
  readonly cutOff?: AbortSignal | undefined;
  /** Called once, when the client has disconnected. */
  onGone(): void;
}

/**
 * Writes texts to the response at its reader's pace, and ends it after the last. The head must have been written. When
 * producing them fails, the error is logged and the response ends.
 */
export async function pumpEvents(outgoing: ServerResponse, options: EventPumpOptions): Promise<void> {
  const { first, texts, clock, logger, silenceMs, silence, opening, cutOff, onGone } = options;
  let isOver = false;
  const onClose = () => {
    if (isOver) return;
    isOver = true;
    onGone();
    texts.return?.().catch(() => {});
  };
  outgoing.once('close', onClose);
  if (outgoing.destroyed) onClose();
  const cut = () => void outgoing.destroy();
  cutOff?.addEventListener('abort', cut, { once: true });
  if (cutOff?.aborted) cut();
  let lastMs = clock.monotonicMs();
  // Restarted when it fires, not with every text: most streams are never silent.
  const listen = () =>
    clock.setTimer(lastMs + silenceMs - clock.monotonicMs(), () => {
      if (isOver) return;
      if (clock.monotonicMs() - lastMs >= silenceMs) {
        lastMs = clock.monotonicMs();
        if (!outgoing.writableNeedDrain) outgoing.write(silence);
      }
      timer = listen();
    });
  let timer = listen();
  try {
    if (opening !== undefined) outgoing.write(opening);
    for (let next = first; !isOver; next = texts.next()) {
      const { done, value } = await next;
      if (done || isOver) break;
      lastMs = clock.monotonicMs();
      if (!outgoing.write(value) && !isOver) await drained(outgoing);
    }
  } catch (error) {
    if (!isOver) logger.error({ error: describeError(error) }, 'a stream of events was cut off');
  } finally {
    timer.cancel();
    isOver = true;
    outgoing.off('close', onClose);
    cutOff?.removeEventListener('abort', cut);
    outgoing.end();
  }
}
