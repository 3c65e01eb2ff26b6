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

/** What {@link runOnce} needs. */
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

/** Returns a turn that finished earlier, as the chat has it; undefined when its `output` can't be read from its text. */
async function finishedRun<Output>(
  { stores, runs, clock }: RunOnceDeps,
  { id: runId, owner, chatId }: StoredRun,
  { output: type }: RunOptions<Output>,
): Promise<AgentRun<Output> | undefined> {
  const [messages, chat, waiting] = await Promise.all([
    stores.chats.messages(owner, chatId),
    stores.chats.find(owner, chatId),
    stores.approvals.listWaiting(owner, chatId, clock.nowMs()),
  ]);
  const answer = messages.findLast((message) => message.runId === runId && message.role === 'assistant');
  const text = typeof answer?.content === 'string' ? answer.content : '';
  const output = type && readOutput(type, text);
  if (type && !output) return undefined;
  const result: RunResult<Output> = {
    runId,
    chatId,
    status: 'done',
    text,
    parts: answer?.parts ?? [],
    usage: { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, calls: 0 },
    costUsd: (chat?.costMicroUsd ?? 0) / 1e6,
    approvals: waiting.map(toPendingApproval),
    ...output,
  };
  const frames = () => readFrames(runs, owner as OwnerKey, chatId, runId);
  return { runId, chatId, result: Promise.resolve(result), stop: async () => {}, [Symbol.asyncIterator]: frames };
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
