import type { Artifact, Message, Part, Task } from '@a2a-js/sdk';
import { type StoredApproval, type StoredMessage, type StoredRun, statusOf } from '@berth/agent-store';
import { chatIdSchema } from '@berth/contract/agent';
import type { ProtocolCaller, ProtocolDeps } from '../turn/protocol-turn.ts';
import type { A2aSdk } from './a2a-sdk.ts';

/** A task of a chat, with what following and deciding it takes. */
export interface ChatTask {
  readonly task: Task;
  readonly chatId: string;
  /** The chat's last run, if it is the task's. */
  readonly lastRunId: string | undefined;
  /** Calls of the task that wait for a decision. */
  readonly waiting: readonly StoredApproval[];
}

/**
 * Reads a chat as tasks, oldest first. A context is a chat, and a task is a message of the person with what answers it: the run it
 * began, and those that went on after an approval. Tasks are not stored, so that any instance knows them.
 */
export async function readChatTasks(
  sdk: A2aSdk,
  { stores, clock }: Pick<ProtocolDeps, 'stores' | 'clock'>,
  { owner }: Pick<ProtocolCaller, 'owner'>,
  chatId: string,
): Promise<readonly ChatTask[]> {
  const nowMs = clock.nowMs();
  const [messages, last, waiting] = await Promise.all([
    stores.chats.messages(owner, chatId),
    stores.runs.findLast(owner, chatId),
    stores.approvals.listWaiting(owner, chatId, nowMs),
  ]);
  const groups: StoredMessage[][] = [];
  for (const message of messages) {
    if (message.role === 'user' && !message.isInternal) groups.push([message]);
    else groups.at(-1)?.push(message);
  }
  return groups.flatMap((group, index) => {
    const runId = group[0]?.runId;
    // A message that was not sent to a run, e.g. of a forked chat.
    if (runId === undefined) return [];
    const isLast = index === groups.length - 1;
    const run = isLast ? last : undefined;
    const open = isLast ? waiting : [];
    return [
      {
        task: toTask(sdk, { id: formatTaskId(chatId, runId), chatId, group, run, waiting: open, nowMs }),
        chatId,
        lastRunId: run?.id,
        waiting: open,
      },
    ];
  });
}

/** The id of the task that a run began. Neither id has a point. */
export function formatTaskId(chatId: string, runId: string): string {
  return `${chatId}.${runId}`;
}

/** Returns the chat of a task; undefined for an id that is none. */
export function chatOfTask(taskId: string): string | undefined {
  return chatIdSchema.safeParse(taskId.split('.', 1)[0]).data;
}

/** A message of the agent about a task. */
export function agentMessage(
  { Role }: A2aSdk,
  { taskId, contextId, text, data }: { taskId: string; contextId: string; text: string; data?: object },
): Message {
  return {
    messageId: `${taskId}.status`,
    contextId,
    taskId,
    role: Role.ROLE_AGENT,
    parts: [textPart(text), ...(data ? [dataPart(data)] : [])],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  };
}

/** The artifact with the answer of a run. */
export function answerArtifact(runId: string, text: string): Artifact {
  const named = { name: 'answer', description: 'The answer as Markdown' };
  return { artifactId: runId, ...named, parts: [textPart(text)], metadata: undefined, extensions: [] };
}

function textPart(value: string): Part {
  return { content: { $case: 'text', value }, metadata: undefined, filename: '', mediaType: 'text/markdown' };
}

function dataPart(value: object): Part {
  return { content: { $case: 'data', value }, metadata: undefined, filename: '', mediaType: 'application/json' };
}

interface TaskSource {
  readonly id: string;
  readonly chatId: string;
  /** The message of the person, and what answers it. */
  readonly group: readonly StoredMessage[];
  /** The chat's last run; undefined when it is of a later task. */
  readonly run: StoredRun | undefined;
  readonly waiting: readonly StoredApproval[];
  readonly nowMs: number;
}

function toTask(sdk: A2aSdk, source: TaskSource): Task {
  const { id, chatId, group, run, waiting } = source;
  const { Role, TaskState } = sdk;
  const answers = group.filter(({ role, isInternal }) => role === 'assistant' && !isInternal);
  const state = stateOf(sdk, source, answers);
  const [question] = group;
  const about = (text: string, data?: object) =>
    agentMessage(sdk, { taskId: id, contextId: chatId, text, ...(data && { data }) });
  const failure = answers.at(-1)?.parts?.findLast((part) => part.type === 'callout');
  const said =
    state === TaskState.TASK_STATE_INPUT_REQUIRED
      ? about(`Approve or refuse: ${waiting.map(({ label }) => label).join('; ')}`, {
          approvals: waiting.map(({ key, tool, label, args }) => ({
            key,
            tool,
            label,
            args: JSON.parse(args) as unknown,
          })),
        })
      : state === TaskState.TASK_STATE_FAILED && failure?.type === 'callout'
        ? about(failure.callout)
        : undefined;
  const atMs = answers.at(-1)?.createdAtMs ?? run?.startedAtMs ?? question?.createdAtMs;
  return {
    id,
    contextId: chatId,
    status: { state, message: said, timestamp: atMs === undefined ? undefined : new Date(atMs).toISOString() },
    artifacts: answers.flatMap(({ runId, content }) =>
      typeof content === 'string' && content !== '' ? [answerArtifact(runId ?? id, content)] : [],
    ),
    history: question
      ? [
          {
            messageId: `${id}.${question.seq}`,
            contextId: chatId,
            taskId: id,
            role: Role.ROLE_USER,
            parts: [textPart(typeof question.content === 'string' ? question.content : '')],
            metadata: undefined,
            extensions: [],
            referenceTaskIds: [],
          },
        ]
      : [],
    metadata: undefined,
  };
}

function stateOf(
  { TaskState }: A2aSdk,
  { run, waiting, nowMs }: TaskSource,
  answers: readonly StoredMessage[],
): Task['status'] extends infer Status ? (Status extends { state: infer State } ? State : never) : never {
  const last = answers.at(-1);
  const status = run ? statusOf(run, nowMs) : (last?.status ?? 'done');
  if (status === 'running') return TaskState.TASK_STATE_WORKING;
  if (status === 'stopped') return TaskState.TASK_STATE_CANCELED;
  if (status !== 'done') return TaskState.TASK_STATE_FAILED;
  if (waiting.length > 0) return TaskState.TASK_STATE_INPUT_REQUIRED;
  // Its calls were refused, and nothing went on.
  const parts = last?.parts ?? [];
  const isRefused = parts.length > 0 && parts.every((part) => part.type === 'decision' && part.decision === 'deny');
  return isRefused ? TaskState.TASK_STATE_CANCELED : TaskState.TASK_STATE_COMPLETED;
}
