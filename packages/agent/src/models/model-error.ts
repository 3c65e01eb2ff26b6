import { BerthError } from '@berth/kit';

/** The faults of a model, each with whether a retry may succeed. */
const FAULTS = {
  /** There was no connection, or it broke before the answer began. */
  unreachable: true,
  rate_limited: true,
  /** 5xx and "overloaded". */
  overloaded: true,
  /** The upstream was silent for too long. */
  silent: true,
  /** The answer broke off. */
  cut: true,
  /** The answer violates the protocol. */
  malformed: false,
  /** The key is missing, wrong or out of money. */
  not_allowed: false,
  /** The request exceeds the model's context window. */
  context_full: false,
  /** Any other 4xx. */
  refused: false,
} as const satisfies Record<string, boolean>;

export type ModelFault = keyof typeof FAULTS;

/** A failure of a model. The message is for the agent's owner: it is logged and never shown in a chat. */
export class ModelError extends BerthError {
  readonly fault: ModelFault;
  /** How long the upstream asked to wait. */
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
