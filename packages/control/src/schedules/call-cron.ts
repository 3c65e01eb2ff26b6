/** One `POST /cron` to a service. */
export interface CronCall {
  readonly deployment: string;
  /** `X-Cron-Token` */
  readonly token: string;
  /** `X-Cron-Attempt`, from 1. */
  readonly attempt: number;
  /** `X-Cron-Scheduled-Time`, epoch milliseconds. */
  readonly scheduledAtMs: number;
  readonly signal: AbortSignal;
}

/**
 * Sends the call through the gateway like any request. Returns the status when the whole answer has arrived.
 * @throws Error when the answer is incomplete, and the signal's reason when that aborts.
 */
export type CallCron = (call: CronCall) => Promise<number>;
