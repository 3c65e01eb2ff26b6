import { createHash } from 'node:crypto';
import { type AgentApp, type RouteGuard, routesOf } from '@berth/agent-core';
import { createError, createValidationError, type ValidationIssue } from '@berth/contract';
import { acceptedSchema } from '@berth/contract/agent';
import { jsonResponse, readBody } from '@berth/http';
import { describeError } from '@berth/kit';
import { z } from '@hono/zod-openapi';
import type { OpenTasks } from '../create-tasks.ts';
import type { TaskDefinitions, WebhookDefinition } from '../task-definitions.ts';
import type { WebhookRequest } from '../webhook-types.ts';

/** Dependencies of the route of webhooks. */
export interface WebhookRouteDeps extends RouteGuard {
  readonly definitions: Pick<TaskDefinitions, 'findWebhook'>;
  readonly tasks: Pick<OpenTasks, 'add'>;
}

/** `POST /webhooks/{name}`: events of other systems, each of which becomes a task. Source: docs/contract/agent-api.md §11. */
export function registerWebhooks(app: AgentApp, deps: WebhookRouteDeps): void {
  const route = routesOf(app, deps, 'Tasks');
  const { definitions, tasks } = deps;
  route('POST /webhooks/{name}', 'receiveWebhook', {
    access: 'public',
    errors: ['unauthenticated', 'not_found', 'payload_too_large', 'invalid'],
    summary: 'Send an event to the agent',
    description:
      'For systems configured by the agent’s owner; signatures are verified. The response is sent once the event is stored; the event is handled afterwards. Duplicate events get the same response and are not handled again.',
    request: { params: z.object({ name: z.string() }) },
    responses: { 202: jsonResponse(acceptedSchema, 'The event is stored') },
  }).stream(async (c) => {
    const webhook = definitions.findWebhook(c.req.param('name') ?? '');
    if (!webhook) throw createError('not_found', 'No such webhook.');
    const request = { body: await readBody(c, webhook.maxBytes), headers: c.req.raw.headers };
    const logger = c.get('logger').child({ webhook: webhook.name });
    const refusal = await refusalOf(webhook, request);
    if (refusal !== undefined) {
      logger.warn({ error: refusal }, 'an event of a webhook was refused');
      throw createError('unauthenticated', 'The event is not signed as this webhook expects.');
    }
    const payload = parsePayload(request);
    const event = webhook.read(payload, request.headers);
    if (event.problem) throw createValidationError(event.problem.issues.map(toIssue));
    const own = await event.respond();
    if (own) return own;
    const key = event.idempotencyKey();
    const { task, isNew } = await tasks.add(
      webhook.task,
      { payload, headers: keptHeaders(webhook, request) },
      // A key may be longer than those of the store.
      key === undefined || key === '' ? {} : { idempotencyKey: createHash('sha256').update(key).digest('hex') },
    );
    logger.info({ taskId: task.id, isNew }, 'an event of a webhook was accepted');
    return c.json({ ok: true as const, task_id: task.id }, 202);
  });
}

/** Returns why the sender is refused, for the log; undefined when it is the one it claims to be. */
async function refusalOf(webhook: WebhookDefinition, request: WebhookRequest): Promise<string | undefined> {
  try {
    // Anything but true is a refusal: a `verify` that forgets to return accepts no one.
    return (await webhook.verify(request)) === true ? undefined : 'verify did not return true';
  } catch (error) {
    return describeError(error);
  }
}

/**
 * Returns the payload of a request: of JSON its value, of a form an object of its fields, else the text.
 * @throws `invalid` for text that is not what its Content-Type says.
 */
function parsePayload({ body, headers }: WebhookRequest): unknown {
  const mediaType = (headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body);
    if (/^application\/(?:[\w.-]+\+)?json$/.test(mediaType)) return JSON.parse(text) as unknown;
    if (mediaType === 'application/x-www-form-urlencoded') return Object.fromEntries(new URLSearchParams(text));
    return text;
  } catch (error) {
    const msg = `not valid ${mediaType || 'text'}: ${error instanceof Error ? error.message : error}`;
    throw createValidationError([{ loc: ['body'], msg, type: 'body_invalid' }]);
  }
}

function keptHeaders({ headers: kept }: WebhookDefinition, { headers }: WebhookRequest): Record<string, string> {
  return Object.fromEntries(kept.flatMap((name) => (headers.has(name) ? [[name, headers.get(name) ?? '']] : [])));
}

function toIssue({ path, message, code }: z.core.$ZodIssue): ValidationIssue {
  return { loc: ['body', ...path.map(String)], msg: message, type: code };
}
