import { randomUUID } from 'node:crypto';
import {
  type ActiveWorkspace,
  type OutputFormat,
  personalWorkspace,
  type RouteGuard,
  type Usage,
  type User,
  type WorkspaceAccess,
} from '@berth/agent-core';
import { ANONYMOUS, memberKey, type OwnerKey, ownerKey } from '@berth/agent-store';
import { createError } from '@berth/contract';
import {
  type Attachment,
  type ChatMessage,
  type ChatRequest,
  chatIdSchema,
  chatRequestSchema,
  type Frame,
  type InputPart,
  type Part,
} from '@berth/contract/agent';
import type { IdSource, Logger } from '@berth/kit';
import { z } from 'zod';
import { outputFormat } from '../loop/output-format.ts';
import type { RunEngine } from '../runs/create-run-engine.ts';
import type { SettledRun } from '../runs/run-engine.ts';
import { startTurn, type TurnDeps } from './start-turn.ts';
import { turnMessages } from './turn-messages.ts';

/** A message that a program sends in a person's name. */
export interface RunMessage {
  readonly content: string | readonly InputPart[];
  /** Files of the person's workspace; `path` is relative to it. */
  readonly attachments?: readonly Attachment[];
}

/** A turn that a program starts: `agent.run({ user, message })`. */
export interface RunOptions<Output = unknown> {
  /**
   * The person whose turn it is: their chats, files, connections and settings are used. Your program vouches for them; no token
   * is checked. Needed by an agent with `auth`, and refused by one without.
   */
  readonly user?: User;
  /** Id of a team's workspace that the person belongs to; their personal one by default. */
  readonly workspace?: string;
  /** The chat that the message belongs to, 1–64 of `A-Z a-z 0-9 _ -`; a new one by default. */
  readonly chatId?: string;
  readonly message: string | RunMessage;
  /** Tools left out of this turn, by name; at most 20. */
  readonly disabledTools?: readonly string[];
  /** Keys of approvals given with the message; at most 20. */
  readonly approvals?: readonly string[];
  /** False: every tool that writes asks for approval. */
  readonly auto?: boolean;
  /** Connectors that the message mentions; at most 10. */
  readonly connectors?: readonly string[];
  /**
   * A Zod object: the answer is JSON that matches it, and `output` of the result is its value. A handler of the agent's own gets it
   * as `turn.output`, and returns `{ output }`.
   */
  readonly output?: z.ZodType<Output>;
  /** Stops the turn when it aborts. */
  readonly signal?: AbortSignal;
}

/** Tokens of all model calls of a turn. */
export interface RunUsage {
  readonly inputTokens: number;
  /** Part of `inputTokens`. */
  readonly cachedInputTokens: number;
  readonly outputTokens: number;
  /** Number of model calls. */
  readonly calls: number;
}

/** A tool call that waits for a person. Decide with `POST /chats/{id}/approvals/{key}`, or with `approvals` of the next turn. */
export interface PendingApproval {
  readonly key: string;
  readonly tool: string;
  /** Description of the call for people. */
  readonly label: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly connector?: string;
}

/** How a turn ended. */
export interface RunResult<Output = unknown> {
  readonly runId: string;
  readonly chatId: string;
  /** `stopped`: by a person or `stop()`; `interrupted`: its process ended; `failed`: an error of the agent or the model. */
  readonly status: SettledRun['status'];
  /** The answer as Markdown, as the chat stores it. */
  readonly text: string;
  readonly parts: readonly Part[];
  /** The structured answer; undefined unless one was asked for, and in a turn that did not come to it. */
  readonly output?: Output;
  readonly usage: RunUsage;
  /** US dollars; 0 for models without a price. */
  readonly costUsd: number;
  /** Calls that did not run because a person has to approve them. */
  readonly approvals: readonly PendingApproval[];
  /** For a failed turn, the sentence that the person sees; it ends in the reference that the log has as `error_id`. */
  readonly error?: string;
}

/**
 * A running turn. Iterating yields its frames from the first one, also for late and for several readers, up to 5 minutes after
 * its end. The turn goes on whether or not anyone reads it.
 */
export interface AgentRun<Output = unknown> extends AsyncIterable<Frame> {
  readonly runId: string;
  readonly chatId: string;
  /** Resolves when the turn is stored. Never rejects: a turn that failed has the status `failed`. */
  readonly result: Promise<RunResult<Output>>;
  /** Stops the turn; what it said is kept. Does nothing after its end. */
  stop(): Promise<void>;
}

/** Dependencies of starting a turn from a program. */
export interface AgentRunDeps extends TurnDeps, Pick<RouteGuard, 'authenticator'> {
  /** Undefined unless the agent has team workspaces. */
  readonly registry: WorkspaceAccess | undefined;
  readonly ids: IdSource;
  readonly logger: Logger;
}

/**
 * Starts a turn as `POST /chat` does, with the same chats, tools, approvals, costs and limits. The message is durable when this
 * resolves.
 * @throws BudgetUsed when a budget of the month is used up; `conflict` while the chat has a live run; `invalid` naming a wrong option; `not_found` for a workspace that the
 * person does not belong to; `unavailable` while the agent shuts down.
 * @param earlier the conversation so far, for an agent without auth, which keeps none. A stored chat's own messages count instead.
 */
export async function startAgentRun<Output>(
  deps: AgentRunDeps,
  options: RunOptions<Output>,
  earlier: readonly ChatMessage[] = [],
): Promise<AgentRun<Output>> {
  const { chatId, request, outputForm } = parseRun(options, earlier);
  const { user, workspace, owner } = await enterRun(deps, options);
  const usage = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, calls: 0 };
  const approvals: PendingApproval[] = [];
  let output: unknown;
  const settled = Promise.withResolvers<SettledRun>();
  options.signal?.throwIfAborted();
  const reader = await startTurn(deps, {
    user,
    owner,
    workspace,
    chatId,
    request,
    logger: deps.logger,
    ...(outputForm && { outputForm }),
    observer: {
      onOutput(value) {
        output = value;
      },
      onUsage: (one) => addUsage(usage, one),
      onFrame(frame) {
        if (frame.type === 'ui' && frame.action === 'confirm') approvals.push(approvalOf(frame));
      },
      onSettled: settled.resolve,
    },
  });
  // The run is detached: readers open their own.
  reader.close();
  const { runId } = reader;
  let isEnded = false;
  const stop = async () => {
    if (!isEnded) await deps.runs.stop(owner, chatId);
  };
  const onAbort = () => void stop().catch(() => {});
  options.signal?.addEventListener('abort', onAbort, { once: true });
  if (options.signal?.aborted) onAbort();
  const result = settled.promise.then((run): RunResult<Output> => {
    isEnded = true;
    options.signal?.removeEventListener('abort', onAbort);
    const { status, costUsd } = run;
    const [answer] = turnMessages(run);
    const parts = answer?.parts ?? [];
    const failure = status === 'failed' ? parts.findLast((part) => part.type === 'callout') : undefined;
    return {
      runId,
      chatId,
      status,
      text: typeof answer?.content === 'string' ? answer.content : '',
      parts,
      usage,
      costUsd,
      approvals,
      ...(output !== undefined && { output: output as Output }),
      ...(failure?.type === 'callout' && { error: failure.callout }),
    };
  });
  return { runId, chatId, result, stop, [Symbol.asyncIterator]: () => readFrames(deps.runs, owner, chatId, runId) };
}

/** Yields the frames of a run from its first one. A reader that was too slow for the engine reconnects where it was. */
export async function* readFrames(
  runs: RunEngine,
  owner: OwnerKey,
  chatId: string,
  runId: string,
): AsyncGenerator<Frame, void> {
  let seq = 0;
  for (;;) {
    const reader = await runs.follow(owner, chatId, { runId, seq });
    if (reader?.runId !== runId) return reader?.close();
    try {
      for await (const frames of reader) {
        for (const frame of frames) {
          seq = frame.seq;
          yield JSON.parse(frame.json) as Frame;
        }
      }
    } finally {
      reader.close();
    }
    if ((await reader.ended) !== 'too_slow') return;
  }
}

interface ParsedRun {
  readonly chatId: string;
  readonly request: ChatRequest;
  readonly outputForm?: OutputFormat;
}

/** @throws `invalid` naming what is wrong. */
function parseRun(options: RunOptions<unknown>, earlier: readonly ChatMessage[]): ParsedRun {
  const { message, chatId = randomUUID(), disabledTools, approvals, auto, connectors, output } = options;
  const { content, attachments } =
    typeof message === 'string' ? { content: message, attachments: undefined } : (message ?? {});
  const request = chatRequestSchema.safeParse({
    messages: [...earlier, { role: 'user', content, ...(attachments && { attachments }) }],
    disabled_tools: disabledTools,
    approvals,
    auto,
    connectors,
    detach: true,
  });
  if (!request.success) throw createError('invalid', `agent.run: ${z.prettifyError(request.error)}`);
  const id = chatIdSchema.safeParse(chatId);
  if (!id.success) throw createError('invalid', `agent.run: chatId: ${z.prettifyError(id.error)}`);
  return { chatId: id.data, request: request.data, ...(output && { outputForm: formOf(output) }) };
}

function formOf(output: z.ZodType): OutputFormat {
  try {
    return outputFormat(output);
  } catch (error) {
    if (error instanceof RangeError) throw createError('invalid', `agent.run: ${error.message}`);
    throw error;
  }
}

const ANONYMOUS_WORKSPACE: ActiveWorkspace = { id: 'u-anonymous', type: 'personal', role: 'owner', key: ANONYMOUS };

/** Returns whose turn it is, and where. @throws `invalid` or `not_found`, as {@link startAgentRun} does. */
export async function enterRun(
  { authenticator, registry }: Pick<AgentRunDeps, 'authenticator' | 'registry'>,
  { user, workspace: workspaceId }: Pick<RunOptions<unknown>, 'user' | 'workspace'>,
) {
  const wrong = (what: string) => createError('invalid', `agent.run: ${what}`);
  if (!authenticator) {
    if (user || workspaceId !== undefined) {
      throw wrong('an agent without auth stores no user data: leave out user and workspace, or configure auth');
    }
    return { user: undefined, workspace: ANONYMOUS_WORKSPACE, owner: ANONYMOUS };
  }
  if (typeof user?.id !== 'string' || user.id === '') throw wrong("user is required: user: { id: 'their id' }");
  const own = personalWorkspace(user);
  if (!registry && workspaceId !== undefined && workspaceId !== own.id) {
    throw wrong('this agent has no team workspaces: leave out workspace, or give the agent workspaces');
  }
  const workspace = registry ? await registry.enter(user, workspaceId) : own;
  return { user, workspace, owner: memberKey(ownerKey(user), workspace) };
}

function addUsage(sum: { -readonly [Field in keyof RunUsage]: number }, usage: Usage): void {
  sum.inputTokens += usage.inputTokens ?? 0;
  sum.cachedInputTokens += usage.cachedInputTokens ?? 0;
  sum.outputTokens += usage.outputTokens ?? 0;
  sum.calls++;
}

function approvalOf(frame: Extract<Frame, { readonly type: 'ui' }>): PendingApproval {
  const { key, tool, label, args, connector } = frame;
  return {
    key: String(key),
    tool: String(tool),
    label: String(label),
    args: (args ?? {}) as Readonly<Record<string, unknown>>,
    ...(typeof connector === 'string' && { connector }),
  };
}
