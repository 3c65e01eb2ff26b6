import type { ServerResponse } from 'node:http';
import { type Clock, describeError, type Logger } from '@berth/kit';
import { drained } from './drained.ts';

/** What streams events to a client. */
export interface EventPumpOptions {
  /** The first of `texts`, asked for already. */
  readonly first: Promise<IteratorResult<string>>;
  readonly texts: AsyncIterator<string>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly silenceMs: number;
  readonly silence: string;
  readonly opening?: string | undefined;
  /** Aborts when the client is to be cut off, whatever waits to be sent. */
  readonly cutOff?: AbortSignal | undefined;
  /** Told once, when the client has gone. */
  onGone(): void;
}

/**
 * Writes texts to the answer as they come, at its reader's pace, and ends it with them. The head must be written. Where
 * making them throws, that is logged and the answer ends.
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
  // Set anew when it fires and not with every text: most streams are never silent.
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
