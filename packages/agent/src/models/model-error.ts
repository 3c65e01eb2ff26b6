import { BerthError } from '@berth/kit';

/** What can go wrong with a model, and whether the same call may succeed a moment later. */
const FAULTS = {
  /** No connection, or it broke before the answer began. */
  unreachable: true,
  rate_limited: true,
  /** 5xx and "overloaded". */
  overloaded: true,
  /** Nothing came for too long. */
  silent: true,
  /** The answer broke off. */
  cut: true,
  /** The answer is not what the protocol says. */
  malformed: false,
  /** The key is missing, wrong or out of money. */
  not_allowed: false,
  /** More than the model can read. */
  context_full: false,
  /** Any other 4xx. */
  refused: false,
} as const satisfies Record<string, boolean>;

export type ModelFault = keyof typeof FAULTS;

/** A model did not answer. The message is for the agent's owner: it is logged, never shown to the people who chat. */
export class ModelError extends BerthError {
  readonly fault: ModelFault;
  /** The upstream asked for this much patience. */
  readonly retryAfterMs: number | undefined;

  constructor(
    fault: ModelFault,
    message: string,
    options: { readonly retryAfterMs?: number | undefined; readonly cause?: unknown } = {},
  ) {
    super({ code: `model_${fault}`, message, status: 502, isRetryable: FAULTS[fault], cause: options.cause });
    this.fault = fault;
    this.retryAfterMs = options.retryAfterMs;
  }
}
