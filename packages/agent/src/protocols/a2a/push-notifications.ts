import { randomUUID } from 'node:crypto';
import type { Task, TaskPushNotificationConfig } from '@a2a-js/sdk';
import type { Outbound } from '@berth/agent-core';
import type { OwnerKey } from '@berth/agent-store';
import { type Clock, describeError, type Logger } from '@berth/kit';
import { OutboundError } from '@berth/outbound';
import type { A2aSdk } from './a2a-sdk.ts';

/** Tasks with addresses to notify, of all callers; those that were registered first go first. */
const MAX_TASKS = 1_000;
/** Addresses of one task. */
const MAX_CONFIGS = 4;
/** Characters of an address, and of each of its secrets: together they bound what callers can have kept in memory. */
const MAX_CHARACTERS = 2_048;
/** Time for one notification, and the waits before it is repeated. */
const TIMEOUT_MS = 10_000;
const WAITS_MS = [1_000, 10_000];
/** The part of a response that is read. */
const MAX_ANSWER_BYTES = 65_536;

export interface PushNotificationDeps {
  readonly outbound: Outbound;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Creates the addresses that are told when a task ends or needs its caller. They are kept in memory, on the instance that was given them. */
export function createPushNotifications(sdk: A2aSdk, { outbound, clock, logger }: PushNotificationDeps) {
  const tasks = new Map<string, Map<string, TaskPushNotificationConfig>>();
  const placeOf = (owner: OwnerKey, taskId: string) => JSON.stringify([owner, taskId]);
  const send = async ({ url, token, authentication }: TaskPushNotificationConfig, task: Task) => {
    const body = Buffer.from(JSON.stringify(sdk.StreamResponse.toJSON({ payload: { $case: 'task', value: task } })));
    const headers = {
      'content-type': 'application/a2a+json',
      ...(token && { 'x-a2a-notification-token': token }),
      ...(authentication?.credentials && {
        authorization: `${authentication.scheme || 'Bearer'} ${authentication.credentials}`,
      }),
    };
    for (let attempt = 0; ; attempt++) {
      try {
        const request = { url, method: 'POST', headers, body, timeoutMs: TIMEOUT_MS, maxBytes: MAX_ANSWER_BYTES };
        const { status } = await outbound.fetch(request);
        if (status >= 200 && status < 300) return;
        throw new Error(`it answered ${status}`);
      } catch (error) {
        const waitMs = WAITS_MS[attempt];
        const at = { taskId: task.id, host: URL.parse(url)?.host, error: describeError(error) };
        const isRefused = error instanceof OutboundError && error.fault === 'refused';
        if (waitMs === undefined || isRefused) return logger.warn(at, 'a push notification could not be delivered');
        await clock.sleep(waitMs);
      }
    }
  };
  return {
    /** @throws RequestMalformedError for an address that can't be told anything. */
    check(config: TaskPushNotificationConfig): void {
      const { id, url, token, authentication } = config;
      const { protocol } = URL.parse(url) ?? {};
      if (protocol !== 'https:' && protocol !== 'http:') {
        throw new sdk.RequestMalformedError('url must be an https address.');
      }
      const { scheme = '', credentials = '' } = authentication ?? {};
      for (const [name, value] of Object.entries({ id, url, token, scheme, credentials })) {
        if (value.length > MAX_CHARACTERS || /[^\x20-\x7e]/.test(value)) {
          throw new sdk.RequestMalformedError(`${name} must be printable ASCII, at most ${MAX_CHARACTERS} characters.`);
        }
      }
    },
    /** Adds or replaces an address. @throws RequestMalformedError when the task has too many. */
    set(owner: OwnerKey, config: TaskPushNotificationConfig): TaskPushNotificationConfig {
      const place = placeOf(owner, config.taskId);
      const configs = tasks.get(place) ?? new Map<string, TaskPushNotificationConfig>();
      const stored = { ...config, id: config.id || randomUUID() };
      if (!configs.has(stored.id) && configs.size >= MAX_CONFIGS) {
        throw new sdk.RequestMalformedError(
          `A task has at most ${MAX_CONFIGS} push notification configs. Delete one first.`,
        );
      }
      configs.set(stored.id, stored);
      tasks.set(place, configs);
      if (tasks.size > MAX_TASKS) tasks.delete(tasks.keys().next().value as string);
      return stored;
    },
    /** Returns the addresses of a task. */
    list(owner: OwnerKey, taskId: string): readonly TaskPushNotificationConfig[] {
      return [...(tasks.get(placeOf(owner, taskId))?.values() ?? [])];
    },
    remove(owner: OwnerKey, taskId: string, id: string): void {
      tasks.get(placeOf(owner, taskId))?.delete(id);
    },
    /** Tells the addresses of a task. Resolves when each was told or given up. */
    async notify(owner: OwnerKey, task: Task): Promise<void> {
      await Promise.all(this.list(owner, task.id).map((config) => send(config, task)));
    },
  };
}
