import type { AgentStores, OwnerKey, StoredApproval, StoredRun } from '@berth/agent-store';
import { ANONYMOUS } from '@berth/agent-store';
import { runInBackground } from '@berth/kit';
import type { z } from 'zod';
import {
  type AgentRun,
  type AgentRunDeps,
  enterRun,
  type PendingApproval,
  type RunOptions,
  type RunResult,
  readFrames,
  startAgentRun,
} from './agent-run.ts';

/** Dependencies of {@link runOnce}. */
export interface RunOnceDeps extends Omit<AgentRunDeps, 'stores'> {
  readonly stores: Pick<AgentStores, 'chats' | 'runs' | 'approvals'>;
}

/**
 * Starts the first turn of a chat, unless an earlier call started it: a turn that still runs, here or elsewhere, is waited for, one
 * that finished is returned without asking again, with `usage` 0, and one that did not finish is asked again in the same chat. For
 * work that may be repeated, such as an attempt of a task.
 * @throws what `agent.run` throws.
 */
export async function runOnce<Output>(
  deps: RunOnceDeps,
  options: RunOptions<Output> & { readonly chatId: string },
): Promise<AgentRun<Output>> {
  const { stores, runs } = deps;
  const { chatId, signal } = options;
  const { owner } = await enterRun(deps, options);
  // Nothing is kept of turns without a person.
  if (owner === ANONYMOUS) return startAgentRun(deps, options);
  for (;;) {
    const last = await stores.runs.findLast(owner, chatId);
    if (last?.status === 'done') return (await finishedRun(deps, last, options)) ?? startAgentRun(deps, options);
    if (last?.status !== 'running') return startAgentRun(deps, options);
    const reader = await runs.follow(owner, chatId);
    if (!reader) continue;
    const leave = () => {
      reader.close();
      runInBackground('stop a turn', runs.stop(owner, chatId), deps.logger);
    };
    signal?.throwIfAborted();
    signal?.addEventListener('abort', leave, { once: true });
    try {
      for await (const _frames of reader) signal?.throwIfAborted();
      await reader.ended;
      signal?.throwIfAborted();
    } finally {
      signal?.removeEventListener('abort', leave);
      reader.close();
    }
  }
}

/** A run of a stored chat, and what stops it. */
export interface FollowedRun {
  readonly owner: OwnerKey;
  readonly chatId: string;
  readonly runId: string;
  readonly signal?: AbortSignal | undefined;
}

/** Returns a run that something else started, here or on another instance, with `usage` 0. */
export function followRun(deps: RunOnceDeps, { owner, chatId, runId, signal }: FollowedRun): AgentRun {
  const { runs, stores, logger } = deps;
  let isEnded = false;
  const stop = async () => {
    if (!isEnded) await runs.stop(owner, chatId);
  };
  const onAbort = () => runInBackground('stop a turn', stop(), logger);
  signal?.addEventListener('abort', onAbort, { once: true });
  if (signal?.aborted) onAbort();
  const frames = () => readFrames(runs, owner, chatId, runId);
  const settle = async (): Promise<RunResult> => {
    for await (const _frame of frames());
    isEnded = true;
    signal?.removeEventListener('abort', onAbort);
    const last = await stores.runs.findLast(owner, chatId);
    const status = last?.id === runId && last.status !== 'running' ? last.status : 'interrupted';
    return resultOf(deps, { id: runId, owner, chatId, status });
  };
  return { runId, chatId, result: settle(), stop, [Symbol.asyncIterator]: frames };
}

/** Returns a turn that finished earlier, as the chat has it; undefined when its `output` can't be read from its text. */
async function finishedRun<Output>(
  deps: RunOnceDeps,
  { id: runId, owner, chatId }: StoredRun,
  { output: type }: RunOptions<Output>,
): Promise<AgentRun<Output> | undefined> {
  const found = await resultOf(deps, { id: runId, owner, chatId, status: 'done' });
  const output = type && readOutput(type, found.text);
  if (type && !output) return undefined;
  const result: RunResult<Output> = { ...(found as RunResult<Output>), ...output };
  const frames = () => readFrames(deps.runs, owner as OwnerKey, chatId, runId);
  return { runId, chatId, result: Promise.resolve(result), stop: async () => {}, [Symbol.asyncIterator]: frames };
}

/** Returns how a run ended, as its chat has it. */
async function resultOf(
  { stores, clock }: RunOnceDeps,
  { id: runId, owner, chatId, status }: Pick<StoredRun, 'id' | 'owner' | 'chatId'> & Pick<RunResult, 'status'>,
): Promise<RunResult> {
  const [messages, chat, waiting] = await Promise.all([
    stores.chats.messages(owner, chatId),
    stores.chats.find(owner, chatId),
    stores.approvals.listWaiting(owner, chatId, clock.nowMs()),
  ]);
  const answer = messages.findLast((message) => message.runId === runId && message.role === 'assistant');
  const parts = answer?.parts ?? [];
  const failure = status === 'failed' ? parts.findLast((part) => part.type === 'callout') : undefined;
  return {
    runId,
    chatId,
    status,
    text: typeof answer?.content === 'string' ? answer.content : '',
    parts,
    usage: { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, calls: 0 },
    costUsd: (chat?.costMicroUsd ?? 0) / 1e6,
    approvals: waiting.map(toPendingApproval),
    ...(failure?.type === 'callout' && { error: failure.callout }),
  };
}

/** Returns the output that a text holds as JSON; undefined when it holds none. */
function readOutput<Output>(type: z.ZodType<Output>, text: string): { readonly output: Output } | undefined {
  try {
    const parsed = type.safeParse(JSON.parse(text));
    return parsed.success ? { output: parsed.data } : undefined;
  } catch {
    return undefined;
  }
}

function toPendingApproval({ key, tool, label, args, settingKey }: StoredApproval): PendingApproval {
  return {
    key,
    tool,
    label,
    args: JSON.parse(args) as Record<string, unknown>,
    // The key of a connector's tool begins with its name.
    ...(settingKey?.includes('/') && { connector: settingKey.split('/', 1)[0] as string }),
  };
}
