import { createError } from '@berth/contract';

/**
 * Returns the result of `work`, unless the signal aborts first. An already aborted signal prevents the start of `work`.
 * @throws `cancelled` with `message` when it aborts.
 */
export async function untilAborted<Value>(
  signal: AbortSignal,
  message: string,
  work: () => Value | Promise<Value>,
): Promise<Value> {
  const { promise, reject } = Promise.withResolvers<never>();
  const cancel = () => reject(createError('cancelled', message));
  if (signal.aborted) cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    return await (signal.aborted ? promise : Promise.race([work(), promise]));
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}
