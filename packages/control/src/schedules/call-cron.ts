/** One `POST /cron` of a service. */
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
 * Sends the call through the gateway, as any request comes; resolves to the status when the answer is there to its end.
 * @throws Error when it is not, and the signal's reason when that aborts.
 */
export type CallCron = (call: CronCall) => Promise<number>;
