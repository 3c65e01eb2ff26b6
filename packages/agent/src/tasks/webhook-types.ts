import type { z } from 'zod';
import type { AttemptOptions, TaskContext } from './task-types.ts';

/** A request to a webhook, as it came. */
export interface WebhookRequest {
  /** The bytes that were sent, for signatures. */
  readonly body: Uint8Array;
  readonly headers: Headers;
}

/** A verified event of a webhook. */
export interface WebhookEvent<Payload> {
  /** The body: as the schema returns it, else parsed as JSON, else as text. */
  readonly payload: Payload;
  readonly headers: Headers;
}

/** The options of `agent.on('webhook/NAME', …)`. */
export interface WebhookOptions<Payload extends z.ZodType = z.ZodUnknown> extends AttemptOptions {
  /**
   * Returns whether the sender is who it claims to be; false or an exception is answered with 401. `verifyHmac()` checks the usual
   * signatures, SDKs of senders have functions of their own. `() => true` accepts all senders.
   */
  verify(request: WebhookRequest): boolean | Promise<boolean>;
  /** Schema of the payload; what it refuses is answered with 422. */
  readonly schema?: Payload;
  /**
   * Returns the event's id: a second event with the id is answered alike and not handled again. By default the header `webhook-id` or
   * `idempotency-key`; without either, every request is handled.
   */
  idempotencyKey?(event: WebhookEvent<z.output<Payload>>): string | undefined;
  /** Returns a response that is sent at once, and nothing is handled, e.g. for a sender that confirms an address. */
  respond?(event: WebhookEvent<z.output<Payload>>): Response | undefined | Promise<Response | undefined>;
  /** Headers that the handler receives, in lower case, e.g. `x-github-event`. Others are not stored: they may hold secrets. */
  readonly headers?: readonly string[];
  /** Events of this webhook that are handled at a time, over all instances; unlimited by default. */
  readonly concurrency?: number;
  /** Limit of the body, 1–10,485,760; 1,048,576 (1 MiB) by default. */
  readonly maxBytes?: number;
}

/** Context of a webhook's handler besides the payload. */
export interface WebhookContext extends TaskContext {
  /** The headers that the options name. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A fire of the deployment's schedule. */
export interface CronEvent {
  /** When it was due; the same for all attempts. Milliseconds since the epoch. */
  readonly scheduledAtMs: number;
}

/** Events that start a handler from outside: `agent.on`. */
export interface OnEvent {
  /**
   * Handles the requests to `POST /webhooks/NAME`. A verified request becomes a task, and is answered with 202 once the task is durable.
   * @throws RangeError for a wrong name or option; `conflict` for a second webhook of the name, or once the agent is open.
   */
  <Payload extends z.ZodType = z.ZodUnknown>(
    event: `webhook/${string}`,
    options: WebhookOptions<Payload>,
    handler: (payload: z.output<Payload>, context: WebhookContext) => unknown,
  ): void;
  /**
   * Handles the fires of the deployment's schedule, `POST /cron` with the platform's token. Each becomes a task.
   * @throws RangeError for a wrong option; `conflict` for a second handler, or once the agent is open.
   */
  (event: 'cron', options: AttemptOptions, handler: (event: CronEvent, context: TaskContext) => unknown): void;
}
