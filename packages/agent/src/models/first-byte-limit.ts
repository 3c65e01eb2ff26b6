import type { Clock } from '@berth/kit';
import type { Model, ModelEvent, ModelRequest } from './model.ts';
import { ModelError } from './model-error.ts';

interface FirstByteLimit {
  readonly clock: Clock;
  /** The whole limit in milliseconds, for the message. */
  readonly limitMs: number;
}

/**
 * Streams one answer, whose first byte must arrive within `request.firstByteMs`. Also ends the wait for a model that ignores its signal.
 * @throws ModelError `silent`
 */
export async function* streamWithin(
  model: Model,
  request: ModelRequest & { readonly firstByteMs: number },
  { clock, limitMs }: FirstByteLimit,
): AsyncGenerator<ModelEvent> {
  const limit = new AbortController();
  const { promise: isOver, reject } = Promise.withResolvers<never>();
  isOver.catch(() => {});
  const timer = clock.setTimer(request.firstByteMs, () => {
    const seconds = Math.round(limitMs / 100) / 10;
    const error = new ModelError(
      'silent',
      `${model.name} sent nothing for ${seconds} s. For a model that thinks for longer before its first byte, raise firstByteMs.`,
    );
    reject(error);
    limit.abort(error);
  });
  const answer = model.stream({
    ...request,
    signal: AbortSignal.any([request.signal, limit.signal]),
    onFirstByte() {
      timer.cancel();
      request.onFirstByte?.();
    },
  });
  const events = answer[Symbol.asyncIterator]();
  let isDone = false;
  try {
    let next = await Promise.race([events.next(), isOver]);
    timer.cancel();
    while (!next.done) {
      yield next.value;
      next = await events.next();
    }
    isDone = true;
  } finally {
    timer.cancel();
    // Not awaited: a model that ignores its signal would hold up the turn.
    if (!isDone) Promise.resolve(events.return?.()).catch(() => {});
  }
}
