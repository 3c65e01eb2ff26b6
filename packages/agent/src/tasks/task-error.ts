/**
 * An error that a task's handler throws to decide what happens next. Its message is stored with the task, where the person whose task
 * it is reads it; the messages of other errors are only logged.
 */
export class TaskError extends Error {
  override readonly name = 'TaskError';
  /** False: the task fails at once, whatever attempts are left. */
  readonly isRetryable: boolean;
  /** Time until the next attempt, instead of the retry policy's. */
  readonly retryAfterMs: number | undefined;

  constructor(
    message: string,
    options: { readonly isRetryable?: boolean; readonly retryAfterMs?: number; readonly cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.isRetryable = options.isRetryable ?? true;
    this.retryAfterMs = options.retryAfterMs;
  }
}
