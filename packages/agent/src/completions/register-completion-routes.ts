import { randomUUID } from 'node:crypto';
import {
  type AgentApp,
  type AgentAppContext,
  type Handler,
  type Outbound,
  type RouteGuard,
  routesOf,
  type Tool,
} from '@berth/agent-core';
import type { AgentStores } from '@berth/agent-store';
import { createError, createValidationError } from '@berth/contract';
import {
  AGENT_LIMITS,
  type CompletionRequest,
  completionModelSchema,
  completionModelsSchema,
  completionRequestSchema,
  completionSchema,
} from '@berth/contract/agent';
import { eventStream, jsonBody, jsonResponse, serverSentEvent } from '@berth/http';
import type { Clock, IdSource } from '@berth/kit';
import { z } from '@hono/zod-openapi';
import type { Budgets } from '../budgets/create-budgets.ts';
import { jsonFormat } from '../loop/output-format.ts';
import { logFailure } from '../runs/log-failure.ts';
import { DONE } from '../turns/frame-stream.ts';
import { workspaceOf } from '../turns/start-turn.ts';
import { completionChunks, readCompletion } from './completion-chunks.ts';
import { completionError, completionErrors, isForCaller } from './completion-errors.ts';
import { toTurnMessages } from './completion-input.ts';
import { openCompletionTurn } from './completion-turn.ts';

/**
 * Headers that stop OpenAI's clients from retrying: tools of a failed turn may have had effects. Source: OpenAI's client
 * libraries, `shouldRetry`.
 */
const NO_RETRY = { 'x-should-retry': 'false' } as const;

/** The AI SDK expects an object without `stream`, and sends no `Accept`. Source: @ai-sdk/provider-utils, `withUserAgentSuffix`. */
const AI_SDK = /\bai-sdk[/-]/;

/** Dependencies of {@link registerCompletionRoutes}. */
export interface CompletionRouteDeps extends RouteGuard {
  /** The `model` of the response when the request has none, and the id in `GET /models`. */
  readonly agentName: string;
  readonly handler: Handler;
  /** The tools of an agent with the built-in loop; empty for one with a handler of its own. */
  readonly ownTools: { readonly model?: unknown; readonly tools?: readonly Tool[] };
  readonly stores: Pick<AgentStores, 'approvals' | 'settings'>;
  readonly outbound: Outbound;
  /** Undefined for an agent without budgets. */
  readonly budgets?: Budgets | undefined;
  /** Absolute path. */
  readonly dataFolder: string;
  readonly clock: Clock;
  readonly ids: IdSource;
}

/** Registers the routes for OpenAI's clients. Source: docs/contract/agent-api.md §2, "Completions". */
export function registerCompletionRoutes(app: AgentApp, deps: CompletionRouteDeps): void {
  const route = routesOf(app, deps, 'Chat');
  for (const path of ['/chat/completions', '/models', '/models/*']) app.use(path, completionErrors());
  registerModels(app, deps);
  route('POST /chat/completions', 'createCompletion', {
    access: 'turn',
    errors: ['bad_request', 'forbidden', 'not_found', 'too_many_requests'],
    bodyBytes: AGENT_LIMITS.turnBytes,
    summary: 'Create a chat completion',
    description:
      'A stream of server-sent events with [DONE] the last, unless `stream` is false, or absent while `Accept` names ' +
      'application/json and not text/event-stream. Components are flattened to Markdown. Nothing is stored. Errors have ' +
      'OpenAI’s `error` beside `detail`. Also at /v1/chat/completions.',
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
    const client = clientOf(request, deps);
    const outputForm = formOf(request);
    const messages = await toTurnMessages(request.messages, { outbound: deps.outbound, signal: c.req.raw.signal });
    // Fails with 503 before a stream begins, while the store can't be reached.
    if (c.get('user')) await deps.stores.settings.toolModes(c.get('owner'));
    const { chatId = header.id, keys } = await decide(c, request, deps);
    const turn = {
      handler: deps.handler,
      budgets: deps.budgets,
      turn: { disabled_tools: [], approvals: keys, auto: true, connectors: [] },
      clock: deps.clock,
      logger,
      user: c.get('user'),
      ownerKey: c.get('owner'),
      chatId,
      workspace: workspaceOf(deps, c.get('workspace')),
      client,
      outputForm,
    };
    const open = (signal: AbortSignal) => openCompletionTurn(turn, messages, { runId: deps.ids.next('run'), signal });

    if (!isStream(c, request)) {
      try {
        return c.json(await readCompletion(header, open(c.req.raw.signal)), 200);
      } catch (error) {
        if (isForCaller(error)) throw error;
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
        const failed = isForCaller(error)
          ? completionError(error.status, error.message)
          : completionError(500, logFailure(error, logger));
        yield serverSentEvent(JSON.stringify(failed));
      }
      yield DONE;
    }
    return eventStream(follow, { clock: deps.clock, logger, silenceMs: AGENT_LIMITS.pingMs });
  });
}

/** Registers `GET /models`, by which clients find out what they can name in `model`. */
function registerModels(app: AgentApp, deps: CompletionRouteDeps): void {
  const route = routesOf(app, deps, 'Chat');
  const model = {
    id: deps.agentName,
    object: 'model' as const,
    created: Math.floor(deps.clock.nowMs() / 1_000),
    owned_by: 'berth',
  };
  route('GET /models', 'listModels', {
    access: 'turn',
    summary: 'List models: the agent',
    description: 'Also at /v1/models.',
    responses: { 200: jsonResponse(completionModelsSchema, 'A list with one model') },
  }).handle(async (c) => c.json({ object: 'list' as const, data: [model] }, 200));
  route('GET /models/{model}', 'getModel', {
    access: 'turn',
    errors: ['not_found'],
    summary: 'Get the agent as a model',
    description: 'Also at /v1/models/{model}.',
    request: { params: z.object({ model: z.string() }) },
    responses: { 200: jsonResponse(completionModelSchema, 'The agent') },
  }).handle(async (c) => {
    const { model: id } = c.req.valid('param');
    if (id !== model.id) throw createError('not_found', `There is no model ${id.slice(0, 64)}. There is ${model.id}.`);
    return c.json(model, 200);
  });
}

/** Returns true for an answer in events. Source: docs/contract/agent-api.md §2, "Completions". */
function isStream(c: AgentAppContext, { stream }: CompletionRequest): boolean {
  if (typeof stream === 'boolean') return stream;
  const accept = c.req.header('accept') ?? '';
  if (/\btext\/event-stream\b/i.test(accept)) return true;
  return !/\bapplication\/json\b/i.test(accept) && !AI_SDK.test(c.req.header('user-agent') ?? '');
}

/**
 * Returns the caller's tools, for the loop.
 * @throws `invalid` for tools of an agent that can't offer them, and for a name of the agent's own tools.
 */
function clientOf({ tools, tool_choice: choice }: CompletionRequest, { ownTools }: CompletionRouteDeps) {
  const given = choice === 'none' ? [] : (tools ?? []);
  if (given.length > 0 && ownTools.model === undefined) {
    throw refuse(['tools'], "This agent uses a custom handler, which doesn't support tools. Leave out tools.");
  }
  const names = given.map(({ function: { name } }) => name);
  for (const [index, name] of names.entries()) {
    const at = ['tools', index, 'function', 'name'];
    if (names.indexOf(name) !== index) throw refuse(at, `Two tools have the name ${name}.`);
    const isOwn = ownTools.tools?.some((tool) => tool.name === name);
    if (isOwn) throw refuse(at, `The agent already has a tool named ${name}. Choose another name.`);
  }
  const named = typeof choice === 'object' ? choice?.function.name : undefined;
  if (named !== undefined && !names.includes(named)) {
    throw refuse(['tool_choice'], `There is no tool ${named} in tools.`);
  }
  if (choice === 'required' && names.length === 0) throw refuse(['tool_choice'], 'No tools to call.');
  return {
    tools: given.map(({ function: { name, description, parameters } }) => ({
      name,
      description: description ?? '',
      inputSchema: parameters ?? { type: 'object', properties: {} },
    })),
    ...(named !== undefined && { toolChoice: { tool: named } }),
    ...(choice === 'required' && { toolChoice: 'required' as const }),
  };
}

/** @throws `invalid` for a schema that can't be followed. */
function formOf({ response_format: format }: CompletionRequest) {
  if (!format || format.type === 'text') return undefined;
  if (format.type === 'json_object') return jsonFormat('answer');
  const { name, schema } = format.json_schema;
  try {
    return jsonFormat(name, schema);
  } catch (error) {
    throw refuse(['response_format', 'json_schema', 'schema'], (error as Error).message);
  }
}

/**
 * Stores the refusals of the request, and returns the keys that it approves, with the chat that the approvals are of.
 * @throws `not_found` for an approval that does not wait; `invalid` for approvals of several chats.
 */
async function decide(
  c: AgentAppContext,
  { approval_responses: responses }: CompletionRequest,
  deps: CompletionRouteDeps,
) {
  const { approvals } = deps.stores;
  const [owner, nowMs] = [c.get('owner'), deps.clock.nowMs()];
  const keys: string[] = [];
  let chatId: string | undefined;
  for (const { approval_request_id: id, approve } of responses ?? []) {
    const [chat = '', key = ''] = id.split('.');
    if (chatId !== undefined && chat !== chatId) {
      throw refuse(['approval_responses'], 'The approvals belong to several answers. Send those of one answer.');
    }
    chatId = chat;
    const approval = await approvals.find(owner, chat, key);
    const isWaiting = approval && approval.decision === undefined && approval.expiresAtMs > nowMs;
    if (!isWaiting || (!approve && !(await approvals.decide(owner, chat, key, { decision: 'deny', nowMs })))) {
      throw createError('not_found', `No pending call has the approval ${id.slice(0, 128)}. Ask the agent again.`);
    }
    if (approve) keys.push(key);
  }
  return { chatId, keys };
}

function refuse(at: readonly (string | number)[], msg: string): Error {
  return createValidationError([{ loc: ['body', ...at], msg, type: 'invalid' }]);
}
