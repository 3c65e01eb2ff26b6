import { randomUUID } from 'node:crypto';
import type { AgentCard, Message, SendMessageRequest, StreamResponse, Task } from '@a2a-js/sdk';
import type { A2ARequestHandler, ServerCallContext } from '@a2a-js/sdk/server';
import { chatIdSchema, type Frame } from '@berth/contract/agent';
import { BerthError } from '@berth/kit';
import { z } from 'zod';
import type { WorkInProgress } from '../../busy/work-in-progress.ts';
import { createFlattener } from '../../completions/create-flattener.ts';
import { isComponent } from '../../runs/live-run.ts';
import { logFailure } from '../../runs/log-failure.ts';
import type { AgentRun } from '../../turns/agent-run.ts';
import { followRun } from '../../turns/run-once.ts';
import { type ProtocolCaller, type ProtocolDeps, refuseCalls, startProtocolTurn } from '../turn/protocol-turn.ts';
import type { A2aSdk } from './a2a-sdk.ts';
import { agentMessage, answerArtifact, type ChatTask, chatOfTask, formatTaskId, readChatTasks } from './chat-tasks.ts';
import { createPushNotifications, type PushNotificationDeps } from './push-notifications.ts';

export interface A2aDeps extends ProtocolDeps, Pick<PushNotificationDeps, 'outbound'> {
  readonly work: Pick<WorkInProgress, 'waitUntil'>;
}

/** Key of the caller in the state of a call. */
export const CALLER = 'caller';

/** Decisions of a part with the media type application/json, by the keys of calls. */
const decisionsSchema = z.object({ approvals: z.record(z.string(), z.boolean()) });

const PAGE = 50;

/** A message that begins a task, or decides on one that waits. */
interface Incoming {
  readonly chatId: string;
  readonly text: string;
  readonly decisions: ReadonlyMap<string, boolean>;
  readonly waits: ChatTask | undefined;
}

/** Creates the operations of A2A on the turns of the agent. Errors are those of the SDK. */
export function createRequestHandler(sdk: A2aSdk, deps: A2aDeps): A2ARequestHandler {
  const { TaskState, RequestMalformedError, TaskNotFoundError, UnsupportedOperationError } = sdk;
  const push = createPushNotifications(sdk, deps);
  const watched = new Set<string>();
  const noPush = () => new sdk.PushNotificationNotSupportedError('Nothing is stored without sign-in.');
  const callerOf = (context: ServerCallContext) => context.state.get(CALLER) as ProtocolCaller;

  const findTask = async (caller: ProtocolCaller, taskId: string): Promise<ChatTask> => {
    const chatId = chatOfTask(taskId);
    const tasks = chatId !== undefined && caller.user ? await readChatTasks(sdk, deps, caller, chatId) : [];
    const found = tasks.find(({ task }) => task.id === taskId);
    if (!found) throw new TaskNotFoundError(`There is no task ${taskId.slice(0, 128)}.`);
    return found;
  };

  const read = async (caller: ProtocolCaller, message: Message | undefined): Promise<Incoming> => {
    if (!message) throw new RequestMalformedError('message is missing.');
    const { parts, taskId, contextId } = message;
    const texts: string[] = [];
    const decisions = new Map<string, boolean>();
    for (const { content } of parts) {
      if (content?.$case === 'text') texts.push(content.value);
      else {
        const decided = decisionsSchema.safeParse(content?.$case === 'data' ? content.value : undefined);
        if (!decided.success) {
          throw new RequestMalformedError('Send text parts, or a data part {"approvals": {KEY: true or false}}.');
        }
        for (const [key, isApproved] of Object.entries(decided.data.approvals)) decisions.set(key, isApproved);
      }
    }
    if (taskId) return readDecisions(await findTask(caller, taskId), contextId, decisions);
    const chatId = contextId ? chatIdSchema.safeParse(contextId).data : randomUUID();
    if (chatId === undefined) throw new RequestMalformedError('A contextId has 1 to 64 of A-Z a-z 0-9 _ -.');
    const text = texts.join('\n');
    if (text === '') throw new RequestMalformedError('The message has no text.');
    return { chatId, text, decisions: new Map(), waits: undefined };
  };

  const readDecisions = (waits: ChatTask, contextId: string, decisions: Map<string, boolean>): Incoming => {
    const { chatId, waiting, task } = waits;
    if (contextId && contextId !== chatId) throw new RequestMalformedError('The task belongs to another context.');
    if (task.status?.state !== TaskState.TASK_STATE_INPUT_REQUIRED) {
      throw new UnsupportedOperationError(
        "The task doesn't accept messages now. Send one without taskId for a new task.",
      );
    }
    const missing = waiting.filter(({ key }) => !decisions.has(key));
    if (missing.length > 0 || decisions.size > waiting.length) {
      throw new RequestMalformedError(
        'Decide on exactly the pending calls with a data part {"approvals": {KEY: true or false}}.',
      );
    }
    return { chatId, text: '', decisions, waits };
  };

  /** Notifies of the end of a task that runs, once, no matter how many callers ask. */
  const watch = ({ owner, user }: ProtocolCaller, taskId: string, run: AgentRun) => {
    const place = JSON.stringify([owner, taskId]);
    if (!user || watched.has(place)) return;
    watched.add(place);
    const ended = run.result.then(async () => {
      watched.delete(place);
      await push.notify(owner, (await findTask({ owner, user, workspace: undefined }, taskId)).task);
    });
    // The instance is kept until its notifications are out.
    deps.work.waitUntil(ended);
  };

  /** Starts what a message asks for, and tells the address of its configuration at the end. */
  const start = async (caller: ProtocolCaller, { message, configuration }: SendMessageRequest) => {
    const { chatId, text, decisions, waits } = await read(caller, message);
    const config = configuration?.taskPushNotificationConfig;
    const address = config?.url ? config : undefined;
    if (address && !caller.user) throw noPush();
    // Refused before the turn begins.
    if (address) push.check(address);
    const run = await startProtocolTurn(deps, caller, waits ? { chatId, decisions } : { chatId, message: text });
    const taskId = waits?.task.id ?? formatTaskId(chatId, run.runId);
    if (address) push.set(caller.owner, { ...address, taskId });
    watch(caller, taskId, run);
    return { run, taskId };
  };

  /** The answer to a caller without sign-in: a message, and no task. */
  const answerOnce = async (run: AgentRun): Promise<Message> => {
    const { text, error } = await run.result;
    const message = agentMessage(sdk, { taskId: '', contextId: run.chatId, text: error ?? text });
    return { ...message, messageId: run.runId };
  };

  async function* follow(caller: ProtocolCaller, taskId: string, run: AgentRun): AsyncGenerator<StreamResponse, void> {
    const { task } = await findTask(caller, taskId);
    yield { payload: { $case: 'task', value: task } };
    const at = { taskId, contextId: run.chatId };
    const flattener = createFlattener();
    let isAppended = false;
    const say = function* (text: string): Generator<StreamResponse> {
      if (text === '') return;
      const artifact = answerArtifact(run.runId, text);
      const value = { ...at, artifact, append: isAppended, lastChunk: false, metadata: undefined };
      yield { payload: { $case: 'artifactUpdate', value } };
      isAppended = true;
    };
    for await (const frame of run) {
      if (isComponent(frame)) yield* say(flattener.add(frame));
      const progress = progressOf(frame);
      if (progress === undefined) continue;
      const message = agentMessage(sdk, { ...at, text: progress });
      const status = { state: TaskState.TASK_STATE_WORKING, message, timestamp: undefined };
      yield { payload: { $case: 'statusUpdate', value: { ...at, status, metadata: undefined } } };
    }
    yield* say(flattener.end());
    await run.result;
    const { status } = (await findTask(caller, taskId)).task;
    yield { payload: { $case: 'statusUpdate', value: { ...at, status, metadata: undefined } } };
  }

  const requirePush = async (caller: ProtocolCaller, taskId: string) => {
    if (!caller.user) throw noPush();
    return await findTask(caller, taskId);
  };

  /** Limits what is shown of a task to what the caller wants. */
  const shorten = (task: Task, historyLength: number | undefined, hasArtifacts = true): Task => ({
    ...task,
    history: historyLength === undefined ? task.history : historyLength === 0 ? [] : task.history.slice(-historyLength),
    artifacts: hasArtifacts ? task.artifacts : [],
  });

  /** Passes on errors that a caller can act on; all others are logged, and the caller gets a reference. */
  const explain = (error: unknown): unknown => {
    if (error instanceof sdk.A2AError) return error;
    if (BerthError.is(error) && error.code === 'not_found') return new RequestMalformedError(error.message);
    if (BerthError.is(error) && error.code !== 'internal') return new UnsupportedOperationError(error.message);
    return new Error(logFailure(error, deps.logger));
  };
  const explained = async <Value>(work: () => Promise<Value>): Promise<Value> => {
    try {
      return await work();
    } catch (error) {
      throw explain(error);
    }
  };
  async function* explainedStream(
    stream: () => AsyncGenerator<StreamResponse, void>,
  ): AsyncGenerator<StreamResponse, void> {
    try {
      yield* stream();
    } catch (error) {
      throw explain(error);
    }
  }
  const noExtendedCard = async (): Promise<AgentCard> => {
    throw new UnsupportedOperationError('The agent has one card for all callers.');
  };

  return {
    getAgentCard: noExtendedCard,
    getAuthenticatedExtendedAgentCard: noExtendedCard,
    sendMessage: (request, context) =>
      explained(async () => {
        const caller = callerOf(context);
        const { configuration } = request;
        const { run, taskId } = await start(caller, request);
        if (!caller.user) return await answerOnce(run);
        if (!configuration?.returnImmediately) await run.result;
        return shorten((await findTask(caller, taskId)).task, configuration?.historyLength);
      }),
    sendMessageStream: (request, context) =>
      explainedStream(async function* () {
        const caller = callerOf(context);
        const { run, taskId } = await start(caller, request);
        if (!caller.user) return yield { payload: { $case: 'message', value: await answerOnce(run) } };
        yield* follow(caller, taskId, run);
      }),
    getTask: ({ id, historyLength }, context) =>
      explained(async () => shorten((await findTask(callerOf(context), id)).task, historyLength)),
    cancelTask: ({ id }, context) =>
      explained(async () => {
        const caller = callerOf(context);
        const { chatId, lastRunId, task, waiting } = await findTask(caller, id);
        const state = task.status?.state;
        if (state === TaskState.TASK_STATE_WORKING && lastRunId !== undefined) {
          const run = followRun(deps, { owner: caller.owner, chatId, runId: lastRunId });
          await run.stop();
          await run.result;
        } else if (state === TaskState.TASK_STATE_INPUT_REQUIRED) {
          await refuseCalls(deps, caller, waiting);
          await push.notify(caller.owner, (await findTask(caller, id)).task);
        } else throw new sdk.TaskNotCancelableError('The task has ended.');
        return (await findTask(caller, id)).task;
      }),
    resubscribe: ({ id }, context) =>
      explainedStream(async function* () {
        const caller = callerOf(context);
        const { chatId, lastRunId, task } = await findTask(caller, id);
        if (task.status?.state !== TaskState.TASK_STATE_WORKING || lastRunId === undefined) {
          throw new UnsupportedOperationError('The task is not running. Get it instead.');
        }
        yield* follow(caller, id, followRun(deps, { owner: caller.owner, chatId, runId: lastRunId }));
      }),
    listTasks: ({ contextId, status, pageSize, pageToken, historyLength, includeArtifacts }, context) =>
      explained(async () => {
        const chatId = chatIdSchema.safeParse(contextId).data;
        if (chatId === undefined) throw new UnsupportedOperationError('Name a contextId: tasks are listed by context.');
        const caller = callerOf(context);
        const all = caller.user ? (await readChatTasks(sdk, deps, caller, chatId)).toReversed() : [];
        const wanted = all.filter(({ task }) => !status || task.status?.state === status);
        const [size, from] = [Math.min(Math.max(pageSize || PAGE, 1), PAGE), Number(pageToken) || 0];
        const page = wanted.slice(from, from + size);
        return {
          tasks: page.map(({ task }) => shorten(task, historyLength, includeArtifacts)),
          nextPageToken: from + size < wanted.length ? String(from + size) : '',
          pageSize: page.length,
          totalSize: wanted.length,
        };
      }),
    createTaskPushNotificationConfig: (config, context) =>
      explained(async () => {
        const caller = callerOf(context);
        const { chatId, lastRunId, task } = await requirePush(caller, config.taskId);
        push.check(config);
        const stored = push.set(caller.owner, config);
        // The task may run on another instance.
        if (task.status?.state === TaskState.TASK_STATE_WORKING && lastRunId !== undefined) {
          watch(caller, task.id, followRun(deps, { owner: caller.owner, chatId, runId: lastRunId }));
        }
        return stored;
      }),
    getTaskPushNotificationConfig: ({ taskId, id }, context) =>
      explained(async () => {
        const caller = callerOf(context);
        await requirePush(caller, taskId);
        const found = push.list(caller.owner, taskId).find((config) => config.id === id);
        if (!found) throw new RequestMalformedError('The task has no such push notification config. List them.');
        return found;
      }),
    listTaskPushNotificationConfigs: ({ taskId }, context) =>
      explained(async () => {
        const caller = callerOf(context);
        await requirePush(caller, taskId);
        return { configs: [...push.list(caller.owner, taskId)], nextPageToken: '' };
      }),
    deleteTaskPushNotificationConfig: ({ taskId, id }, context) =>
      explained(async () => {
        const caller = callerOf(context);
        await requirePush(caller, taskId);
        push.remove(caller.owner, taskId, id);
      }),
  };
}

function progressOf(frame: Frame): string | undefined {
  if (frame.type === 'step') return frame.step;
  return frame.type === 'status' ? frame.status : undefined;
}
