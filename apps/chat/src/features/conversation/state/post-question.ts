import { ApiError } from '../../../api/api.ts';
import { type BeginTurnOptions, beginTurn } from './begin-turn.ts';

/** Waits before each try; the last one from then on. */
const RETRY_MS = [250, 500, 1_000, 2_000, 4_000];

/** Tries of what fails although the agent is there. */
const MAX_TRIES = 4;

/** What a gateway answers for an agent that is away. */
const AWAY: readonly number[] = [502, 503, 504];

export interface PostQuestionOptions extends BeginTurnOptions {
  /** Whether the message is in the chat; undefined where that can't be told now. */
  hasArrived(): Promise<boolean | undefined>;
  /** There is no way to the agent now: the message waits for one. */
  onWaiting(): void;
}

/**
 * Sends a message, once: over a network that is away it waits, and after a connection that broke it asks first whether the
 * message has arrived. Answers the stream of its turn; undefined when the turn runs, or is over, without one.
 * @throws {ApiError} when it is refused; TypeError when it does not get through although the agent is there; what the signal
 * aborts with
 */
export async function postQuestion(options: PostQuestionOptions): Promise<Response | undefined> {
  const { signal, wait, hasArrived, onWaiting } = options;
  for (let tries = 0; ; tries++) {
    try {
      return await beginTurn(options);
    } catch (error) {
      signal.throwIfAborted();
      // What is answered there is the message of the try before.
      if (tries > 0 && error instanceof ApiError && error.status === 409) return undefined;
      if (error instanceof ApiError && !AWAY.includes(error.status)) throw error;
      const isThere = await hasArrived();
      signal.throwIfAborted();
      if (isThere === true) return undefined;
      if (isThere === false && tries + 1 >= MAX_TRIES) throw error;
      if (isThere === undefined) onWaiting();
      await wait(RETRY_MS[Math.min(tries, RETRY_MS.length - 1)] as number, signal);
    }
  }
}
