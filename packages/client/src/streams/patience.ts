import { type BerthError, backoffMs, type Clock } from '@berth/kit';
import { connectionError } from '../transport/connection-error.ts';

/** Callbacks while the server doesn't respond. */
export interface WaitOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called once when the server stops answering; it is waited for all the same. */
  readonly onLost?: ((error: BerthError) => void) | undefined;
  /** Called when it answers again. */
  readonly onFound?: (() => void) | undefined;
}

/** Goes on asking a server that doesn't answer, without end. */
export function createPatience(
  { baseUrl, clock }: { readonly baseUrl: string; readonly clock: Clock },
  { signal, onLost, onFound }: WaitOptions,
) {
  let pauses = 0;
  let isLost = false;
  const pause = () => clock.sleep(backoffMs(pauses++, { baseMs: 250, maxMs: 5_000 }), signal);
  return {
    /**
     * Answers what `ask` answers, asking again with growing waits while a later try may help.
     * @throws an error that is not retryable, or the signal's reason
     */
    async until<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
      for (;;) {
        try {
          const answer = await ask();
          if (isLost) onFound?.();
          isLost = false;
          return answer;
        } catch (thrown) {
          if (signal?.aborted) throw signal.reason;
          const error = connectionError(thrown, baseUrl);
          if (!error.isRetryable) throw error;
          if (!isLost) onLost?.(error);
          isLost = true;
        }
        await pause();
      }
    },
    /** Waits longer each time, until `reset`. */
    pause,
    reset: (): void => {
      pauses = 0;
    },
  };
}
