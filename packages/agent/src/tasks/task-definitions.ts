import { createError } from '@berth/contract';
import { z } from 'zod';
import type { AttemptOptions, TaskContext, TaskHandler, TaskOptions } from './task-types.ts';
import type { CronEvent, OnEvent, WebhookContext, WebhookOptions, WebhookRequest } from './webhook-types.ts';

const NAME = /^[a-zA-Z0-9][a-zA-Z0-9_.-]{0,63}$/;
const WEBHOOK = /^webhook\/(.*)$/s;
const HEADER = /^[a-z0-9-]{1,64}$/;
const MAX_KEY = 200;
const DEFAULTS = { attempts: 5, minDelayMs: 1_000, maxDelayMs: 600_000, timeoutMs: 600_000, maxBytes: 1_048_576 };

/** The name of the task that a fire of the schedule becomes. */
export const CRON = 'cron';

/** A task as the engine knows it: whatever its input, what to do with it. */
export interface TaskDefinition {
  readonly name: string;
  readonly attempts: number;
  readonly minDelayMs: number;
  readonly maxDelayMs: number;
  readonly timeoutMs: number;
  /** Checks an input as it was stored. */
  prepare(input: unknown): PreparedTask;
}

/** A checked input. */
export type PreparedTask =
  | { readonly problem: z.ZodError }
  | {
      readonly problem?: never;
      /** The key that the input counts under, and how many tasks of it may run at a time. */
      readonly concurrency?: { readonly key: string; readonly limit: number };
      handle(context: TaskContext): unknown;
    };

/** A webhook as its route knows it. */
export interface WebhookDefinition {
  readonly name: string;
  /** Name of the task that an event becomes. */
  readonly task: string;
  readonly maxBytes: number;
  readonly headers: readonly string[];
  verify(request: WebhookRequest): boolean | Promise<boolean>;
  /** Checks a payload, and returns what the options make of the event. */
  read(payload: unknown, headers: Headers): ReadEvent;
}

export type ReadEvent =
  | { readonly problem: z.ZodError }
  | {
      readonly problem?: never;
      idempotencyKey(): string | undefined;
      respond(): Response | undefined | Promise<Response | undefined>;
    };

/** Everything that `agent.task` and `agent.on` have defined. */
export type TaskDefinitions = ReturnType<typeof createTaskDefinitions>;

/** Creates an empty list of definitions. */
export function createTaskDefinitions() {
  const tasks = new Map<string, TaskDefinition>();
  const webhooks = new Map<string, WebhookDefinition>();
  let isSealed = false;

  const add = (definition: TaskDefinition, what: string) => {
    if (isSealed)
      throw createError('conflict', `${what}: the agent is already open. Define tasks before agent.listen().`);
    if (tasks.has(definition.name)) throw createError('conflict', `${what}: "${definition.name}" is defined twice.`);
    tasks.set(definition.name, definition);
  };

  function task<Input extends z.ZodType>(
    name: string,
    options: TaskOptions<Input>,
    handler: TaskHandler<z.output<Input>>,
  ): void {
    const what = `agent.task("${name}")`;
    if (!NAME.test(name) || name === CRON) {
      throw new RangeError(
        `${what}: a name has 1 to 64 letters, digits, dots, dashes and underscores, and isn't "cron".`,
      );
    }
    const { input: schema, concurrencyKey } = options;
    const concurrency = concurrencyOf(what, options.concurrency);
    checkHandler(what, handler);
    add(
      {
        name,
        ...attemptOptions(what, options),
        prepare(input) {
          // A task without a schema takes no input, which JSON stores as null.
          const parsed = schema ? schema.safeParse(input) : z.null().safeParse(input);
          if (!parsed.success) return { problem: parsed.error };
          const data = (schema ? parsed.data : undefined) as z.output<Input>;
          const key = concurrencyKey?.(data);
          const limit = concurrency ?? (key === undefined ? undefined : 1);
          return {
            ...(limit !== undefined && { concurrency: { key: checkKey(what, key ?? ''), limit } }),
            handle: (context) => handler(data, context),
          };
        },
      },
      what,
    );
  }

  function onWebhook<Payload extends z.ZodType>(
    name: string,
    options: WebhookOptions<Payload>,
    handler: (payload: z.output<Payload>, context: WebhookContext) => unknown,
  ): void {
    const what = `agent.on("webhook/${name}")`;
    if (!NAME.test(name)) {
      throw new RangeError(`${what}: a name has 1 to 64 letters, digits, dots, dashes and underscores.`);
    }
    const { verify, schema = z.unknown(), headers = [], maxBytes = DEFAULTS.maxBytes } = options;
    if (typeof verify !== 'function') {
      throw new RangeError(
        `${what}: verify says who may send events: verify: verifyHmac({ … }), or () => true to accept all.`,
      );
    }
    const wrongHeader = headers.find((header) => !HEADER.test(header));
    if (wrongHeader !== undefined) throw new RangeError(`${what}: headers: "${wrongHeader}" is no name in lower case.`);
    checkNumber(what, 'maxBytes', maxBytes, 1, 10 * DEFAULTS.maxBytes);
    checkHandler(what, handler);
    const limit = concurrencyOf(what, options.concurrency);
    const parse = (payload: unknown) => schema.safeParse(payload) as z.ZodSafeParseResult<z.output<Payload>>;
    add(
      {
        name: `webhook/${name}`,
        ...attemptOptions(what, options),
        prepare(input) {
          const stored = STORED_EVENT.parse(input);
          const parsed = parse(stored.payload);
          if (!parsed.success) return { problem: parsed.error };
          return {
            ...(limit !== undefined && { concurrency: { key: '', limit } }),
            handle: (context) => handler(parsed.data, { ...context, headers: stored.headers }),
          };
        },
      },
      what,
    );
    webhooks.set(name, {
      name,
      task: `webhook/${name}`,
      maxBytes,
      headers,
      verify,
      read(payload, sent) {
        const parsed = parse(payload);
        if (!parsed.success) return { problem: parsed.error };
        const event = { payload: parsed.data, headers: sent };
        return {
          idempotencyKey: () =>
            options.idempotencyKey
              ? options.idempotencyKey(event)
              : (sent.get('webhook-id') ?? sent.get('idempotency-key') ?? undefined),
          respond: () => options.respond?.(event),
        };
      },
    });
  }

  function onCron(options: AttemptOptions, handler: (event: CronEvent, context: TaskContext) => unknown): void {
    const what = 'agent.on("cron")';
    checkHandler(what, handler);
    add(
      {
        name: CRON,
        ...attemptOptions(what, options),
        prepare(input) {
          const parsed = STORED_FIRE.safeParse(input);
          if (!parsed.success) return { problem: parsed.error };
          return { handle: (context) => handler(parsed.data, context) };
        },
      },
      what,
    );
  }

  const on = (event: string, options: object, handler: unknown): void => {
    const name = WEBHOOK.exec(event)?.[1];
    if (name !== undefined) {
      onWebhook(name, options as WebhookOptions, handler as (payload: unknown, context: WebhookContext) => unknown);
    } else if (event === CRON) onCron(options, handler as (event: CronEvent, context: TaskContext) => unknown);
    else throw new RangeError(`agent.on("${event}"): the events are "cron" and "webhook/NAME".`);
  };

  return {
    task,
    on: on as OnEvent,
    /** Refuses further definitions: the agent's routes and its engine know those there are. */
    seal(): void {
      isSealed = true;
    },
    find: (name: string) => tasks.get(name),
    findWebhook: (name: string) => webhooks.get(name),
    get names(): readonly string[] {
      return [...tasks.keys()];
    },
    get hasWebhooks() {
      return webhooks.size > 0;
    },
  };
}

/** The stored part of a webhook's event. */
const STORED_EVENT = z.object({ payload: z.unknown(), headers: z.record(z.string(), z.string()) });
/** The stored part of a scheduled run. */
const STORED_FIRE = z.object({ scheduledAtMs: z.number() });

function attemptOptions(what: string, { retry = {}, timeoutMs = DEFAULTS.timeoutMs }: AttemptOptions) {
  const { attempts = DEFAULTS.attempts, minDelayMs = DEFAULTS.minDelayMs } = retry;
  const { maxDelayMs = Math.max(DEFAULTS.maxDelayMs, minDelayMs) } = retry;
  checkNumber(what, 'retry.attempts', attempts, 1, 100);
  checkNumber(what, 'retry.minDelayMs', minDelayMs, 0, 86_400_000);
  checkNumber(what, 'retry.maxDelayMs', maxDelayMs, minDelayMs, 86_400_000);
  checkNumber(what, 'timeoutMs', timeoutMs, 1_000, 86_400_000);
  return { attempts, minDelayMs, maxDelayMs, timeoutMs };
}

function concurrencyOf(what: string, concurrency: number | undefined): number | undefined {
  if (concurrency !== undefined) checkNumber(what, 'concurrency', concurrency, 1, 1_000);
  return concurrency;
}

function checkNumber(what: string, name: string, value: number, least: number, most: number): void {
  if (Number.isInteger(value) && value >= least && value <= most) return;
  throw new RangeError(`${what}: ${name} is a whole number from ${least} to ${most}, not ${value}.`);
}

function checkHandler(what: string, handler: unknown): void {
  if (typeof handler !== 'function') throw new RangeError(`${what}: the last argument is the handler, a function.`);
}

/** Returns a concurrency key. @throws `invalid` for one that is no text or too long. */
export function checkKey(what: string, key: unknown): string {
  if (typeof key === 'string' && key.length <= MAX_KEY) return key;
  throw createError('invalid', `${what}: concurrencyKey is a text of at most ${MAX_KEY} characters.`);
}
