import { randomUUID } from 'node:crypto';
import {
  type AgentApp,
  type AgentEnv,
  type Handler,
  type RouteGuard,
  routesOf,
  type TurnMessage,
} from '@berth/agent-core';
import {
  AGENT_LIMITS,
  type CompletionError,
  type CompletionMessage,
  completionRequestSchema,
  completionSchema,
  type InputPart,
} from '@berth/contract/agent';
import { eventStream, jsonBody, serverSentEvent } from '@berth/http';
import type { Clock, IdSource } from '@berth/kit';
import { z } from '@hono/zod-openapi';
import type { MiddlewareHandler } from 'hono';
import type { Budgets } from '../budgets/create-budgets.ts';
import { logFailure } from '../runs/log-failure.ts';
import { DONE } from '../turns/frame-stream.ts';
import { workspaceOf } from '../turns/start-turn.ts';
import { completionChunks, readCompletion } from './completion-chunks.ts';
import { openCompletionTurn } from './completion-turn.ts';

/**
 * Headers that stop OpenAI's clients from retrying: tools of a failed turn may have had effects. Source: OpenAI's client
 * libraries, `shouldRetry`.
 */
const NO_RETRY = { 'x-should-retry': 'false' } as const;

/** The turn options of this route. `auto` is on, because nobody can answer approvals here. */
const TURN = { disabled_tools: [], approvals: [], auto: true, connectors: [] };

/** Dependencies of {@link registerCompletionRoutes}. */
export interface CompletionRouteDeps extends RouteGuard {
  /** The `model` of the response when the request has none. */
  readonly agentName: string;
  readonly handler: Handler;
  /** Undefined for an agent without budgets. */
  readonly budgets?: Budgets | undefined;
  /** Absolute path. */
  readonly dataFolder: string;
  readonly clock: Clock;
  readonly ids: IdSource;
}

/** Registers `POST /chat/completions`, compatible with OpenAI's clients. Source: docs/contract/agent-api.md §2. */
export function registerCompletionRoutes(app: AgentApp, deps: CompletionRouteDeps): void {
  const route = routesOf(app, deps, 'Chat');
  app.use('/chat/completions', completionErrors());
  route('POST /chat/completions', 'createCompletion', {
    access: 'turn',
    errors: ['too_many_requests'],
    bodyBytes: AGENT_LIMITS.turnBytes,
    summary: 'Answer as a chat-completions server does',
    description:
      'With `stream` the chunks come as server-sent events, [DONE] the last. Components are flattened to markdown. ' +
      'Nothing is stored. Errors have OpenAI’s `error` beside `detail`.',
    request: { body: jsonBody(completionRequestSchema) },
    responses: {
      200: {
        description: 'The answer',
        content: {
          'application/json': { schema: completionSchema },
          'text/event-stream': { schema: z.string() },
        },
      },
    },
  }).handle(async (c) => {
    const request = c.req.valid('json');
    const logger = c.get('logger');
    const header = {
      id: `chatcmpl-${randomUUID().replaceAll('-', '')}`,
      created: Math.floor(deps.clock.nowMs() / 1_000),
      model: request.model ?? deps.agentName,
    };
    await deps.budgets?.check(c.get('user'));
    const turn = {
      handler: deps.handler,
      budgets: deps.budgets,
      turn: TURN,
      clock: deps.clock,
      logger,
      user: c.get('user'),
      ownerKey: c.get('owner'),
      chatId: header.id,
      workspace: workspaceOf(deps, c.get('workspace')),
    };
    const open = (signal: AbortSignal) =>
      openCompletionTurn(turn, toTurnMessages(request.messages), { runId: deps.ids.next('run'), signal });

    if (!request.stream) {
      try {
        return c.json(await readCompletion(header, open(c.req.raw.signal)), 200);
      } catch (error) {
        const detail = logFailure(error, logger);
        return c.json({ detail, ...completionError(500, detail) }, 500, NO_RETRY);
      }
    }
    const includeUsage = request.stream_options?.include_usage === true;
    async function* follow(signal: AbortSignal): AsyncGenerator<string> {
      try {
        for await (const chunk of completionChunks(header, open(signal), { includeUsage })) {
          yield serverSentEvent(JSON.stringify(chunk));
        }
      } catch (error) {
        yield serverSentEvent(JSON.stringify(completionError(500, logFailure(error, logger))));
      }
      yield DONE;
    }
    return eventStream(follow, { clock: deps.clock, logger, silenceMs: AGENT_LIMITS.pingMs });
  });
}

/** The body of an error response of the agent's API. */
interface ErrorBody {
  readonly detail?: string | readonly { readonly loc: readonly (string | number)[]; readonly msg: string }[];
}

/** Returns middleware that adds the `error` object of OpenAI's API to error responses, next to `detail`. */
function completionErrors(): MiddlewareHandler<AgentEnv> {
  return async (c, next) => {
    await next();
    if (c.res.status < 400 || !c.res.headers.get('content-type')?.startsWith('application/json')) return;
    const body = (await c.res.json()) as ErrorBody & Partial<CompletionError>;
    const headers = new Headers(c.res.headers);
    headers.delete('content-length');
    const error = body.error ?? toError(c.res.status, body);
    c.res = new Response(JSON.stringify({ ...body, error }), { status: c.res.status, headers });
  };
}

/** Returns an error in the form of OpenAI's API. Source: OpenAI's API reference, "Error codes". */
function completionError(status: number, message: string, param: string | null = null): CompletionError {
  return { error: { message, type: typeOf(status), param, code: null } };
}

function toError(status: number, { detail = '' }: ErrorBody): CompletionError['error'] {
  if (typeof detail === 'string') return completionError(status, detail).error;
  const message = detail.map(({ loc, msg }) => `${loc.slice(1).join('.')}: ${msg}`).join('; ');
  return completionError(status, message, detail[0]?.loc.slice(1).join('.') ?? null).error;
}

function typeOf(status: number): string {
  if (status === 401) return 'authentication_error';
  if (status === 403) return 'permission_error';
  if (status === 429) return 'rate_limit_error';
  return status >= 500 ? 'server_error' : 'invalid_request_error';
}

const ROLES: Readonly<Record<CompletionMessage['role'], TurnMessage['role']>> = {
  system: 'system',
  // The newer name of `system`.
  developer: 'system',
  user: 'user',
  assistant: 'assistant',
  tool: 'tool',
  // The older name of `tool`.
  function: 'tool',
};

/** Converts the messages of an OpenAI client to those that handlers take. */
function toTurnMessages(messages: readonly CompletionMessage[]): TurnMessage[] {
  return messages.map(({ role, content }) => ({ role: ROLES[role], content: toContent(content ?? '') }));
}

function toContent(content: NonNullable<CompletionMessage['content']>): TurnMessage['content'] {
  if (typeof content === 'string') return content;
  const parts = content.map((part): InputPart => {
    if (part.type === 'image_url') return { type: 'image', image: part.image_url.url };
    if (part.type === 'file') return { type: 'file', file: part.file.file_data ?? part.file.filename ?? '' };
    return { type: 'text', text: part.type === 'text' ? part.text : part.refusal };
  });
  // Many clients send plain text as a list of text parts.
  return parts.every((part) => part.type === 'text') ? parts.map((part) => part.text).join('\n\n') : parts;
}
