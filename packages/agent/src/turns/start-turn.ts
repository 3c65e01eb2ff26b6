import {
  type ActiveWorkspace,
  type Handler,
  type MembershipWatch,
  type OutputFormat,
  parseWorkspacePath,
  personalWorkspace,
  type TurnMessage,
  type User,
  type Workspace,
  type WorkspaceAccess,
} from '@berth/agent-core';
import { type AgentStores, ANONYMOUS, type ChatStore, type OwnerKey, type StoredMessage } from '@berth/agent-store';
import { createValidationError } from '@berth/contract';
import { AGENT_LIMITS, type ChatMessage, type ChatRequest, type Frame } from '@berth/contract/agent';
import { BerthError, type Clock, type Logger, runInBackground } from '@berth/kit';
import { formatTurnRequest, parseTurnRequest, type TurnRequest } from '../approvals/turn-request.ts';
import type { Budgets } from '../budgets/create-budgets.ts';
import { workspaceFolder } from '../files/workspace-folder.ts';
import type { RunEngine } from '../runs/create-run-engine.ts';
import type { ProducerContext, ResumableRun, RunReader, SettledRun, StartRun } from '../runs/run-engine.ts';
import { type ProduceTurn, produceTurn } from './produce-turn.ts';

/** Dependencies of starting a turn. */
export interface TurnDeps {
  readonly handler: Handler;
  /** Undefined for an agent without budgets. */
  readonly budgets?: Budgets | undefined;
  readonly stores: Pick<AgentStores, 'chats'>;
  readonly runs: RunEngine;
  /** Undefined unless the agent has team workspaces. */
  readonly watch: MembershipWatch | undefined;
  readonly clock: Clock;
  /** Absolute path. */
  readonly dataFolder: string;
  /** True when the handler can go on with an answer: see `AgentOptions.resume`. */
  readonly isResumable: boolean;
  /** Called when an answer to a person's message in a stored chat is complete. Must not throw. */
  readonly onAnswered?: ((answered: AnsweredChat) => void) | undefined;
}

/** A chat with a new answer. */
export interface AnsweredChat extends Pick<SettledRun, 'chatId' | 'runId'> {
  readonly user: User | undefined;
  readonly owner: OwnerKey;
}

/** A request for a turn. */
export interface Turn {
  readonly user: User | undefined;
  readonly owner: OwnerKey;
  readonly workspace: ActiveWorkspace;
  readonly chatId: string;
  readonly request: ChatRequest;
  readonly logger: Logger;
  readonly observer?: TurnObserver;
  readonly outputForm?: OutputFormat;
}

/** Told of a turn while it runs. Its methods must not throw. */
export interface TurnObserver extends Pick<ProduceTurn, 'onUsage' | 'onOutput'>, Pick<StartRun, 'onSettled'> {
  onFrame?(frame: Frame): void;
}

/**
 * Starts a turn. For a caller who signed in, the message is durable when this returns; for others nothing is stored.
 * @throws BudgetUsed; `conflict` while the chat has a live run; `invalid` or `forbidden` for a message that can't be answered.
 */
export async function startTurn(deps: TurnDeps, turn: Turn): Promise<RunReader> {
  const { user, owner, chatId, request, observer } = turn;
  const message = lastUserMessage(request.messages);
  const isStored = owner !== ANONYMOUS;
  checkMessagePaths(isStored ? [message] : request.messages);
  await deps.budgets?.check(user);
  const { content, attachments } = message;
  return await deps.runs.start({
    owner,
    chatId,
    isDetached: request.detach,
    // No one follows the others once their process, and with it the connection, is gone.
    ...(request.detach && resumeRequest(deps, turn)),
    ...(isStored && {
      message: {
        message: { role: 'user', content, ...(attachments && { attachments }) },
        title: turnTitle(message),
        ...(request.replaces !== undefined && { replaces: request.replaces }),
      },
    }),
    ...(observer?.onSettled && { onSettled: observer.onSettled }),
    produce: turnProducer(deps, { ...turn, options: request }, ({ isFirstMessage }) => {
      if (!isStored) return claimedHistory(request.messages);
      return isFirstMessage ? claimedHistory([message]) : storedHistory(deps.stores.chats, owner, chatId);
    }),
  });
}

/** A turn without its message. */
interface ProducedTurn extends Omit<Turn, 'request'>, Pick<ProduceTurn, 'isContinuation' | 'isConnected'> {
  readonly options: ProduceTurn['turn'];
}

/** Returns the producer of a turn's frames, also for an instance that continues the turn. */
function turnProducer(deps: TurnDeps, turn: ProducedTurn, history: ProduceTurn['history']): StartRun['produce'] {
  const {
    user,
    owner,
    workspace,
    chatId,
    options,
    isContinuation,
    isConnected,
    logger,
    outputForm,
    observer = {},
  } = turn;
  const { onFrame, onSettled: _, ...told } = observer;
  return async (producer) => {
    const { emit } = producer;
    const tapped: ProducerContext['emit'] = (frame) => {
      onFrame?.(frame);
      return emit(frame);
    };
    const release = holdMembership(deps, turn);
    try {
      await produceTurn(
        {
          handler: deps.handler,
          budgets: deps.budgets,
          turn: options,
          clock: deps.clock,
          logger,
          user,
          ownerKey: owner,
          chatId,
          workspace: workspaceOf(deps, workspace),
          history,
          ...(isContinuation && { isContinuation }),
          ...(isConnected && { isConnected }),
          ...told,
          ...(outputForm && { outputForm }),
        },
        onFrame ? { ...producer, emit: tapped } : producer,
      );
    } finally {
      release?.();
    }
  };
}

/** Returns what the run's record needs so that another process can continue the turn; nothing when none can. */
function resumeRequest(
  { isResumable }: TurnDeps,
  { user, workspace, request, outputForm }: Turn,
): Pick<StartRun, 'request'> {
  // Who waits for structured output waits in the process that ended.
  if (!isResumable || !user || outputForm) return {};
  const { disabled_tools: disabledTools, auto, connectors } = request;
  return { request: formatTurnRequest(user, workspace, { disabledTools, auto, connectors }) };
}

/** Dependencies of continuing a turn. */
export interface ResumeDeps extends TurnDeps {
  /** Undefined unless the agent has team workspaces. */
  readonly registry: WorkspaceAccess | undefined;
  readonly logger: Logger;
}

/**
 * Returns how to continue a turn whose process ended.
 * @throws `not_found` when the person has left the workspace meanwhile.
 */
export async function resumeTurn(
  deps: ResumeDeps,
  { owner, chatId, request }: Omit<ResumableRun, 'runId'>,
): Promise<StartRun['produce']> {
  const { user, workspaceId, options, isContinuation, isConnected } = parseTurnRequest(request);
  const workspace = deps.registry ? await deps.registry.enter(user, workspaceId) : personalWorkspace(user);
  const { disabledTools: disabled_tools, auto, connectors } = options;
  const turn = {
    ...{ user, owner, workspace, chatId, logger: deps.logger },
    options: { disabled_tools: [...disabled_tools], auto, connectors: [...connectors], approvals: [] },
    ...(isContinuation && { isContinuation }),
    ...(isConnected && { isConnected }),
  };
  return turnProducer(deps, turn, () => storedHistory(deps.stores.chats, owner, chatId));
}

/**
 * Continues the last answer of a stored chat after a person decided on calls of it or connected a connector. Returns the id of the run; undefined
 * when calls of the chat still wait, when a turn runs there or the chat is in the trash: the next turn takes up the decisions then.
 * @param request of the turn that asked, see `TurnRequest`.
 * @throws `not_found` when the person has left the workspace meanwhile.
 */
export async function continueAnswer(
  deps: ResumeDeps & { readonly stores: Pick<AgentStores, 'approvals'> },
  { owner, chatId, request }: Omit<ResumableRun, 'runId'>,
): Promise<string | undefined> {
  if (!deps.isResumable) return undefined;
  const waiting = await deps.stores.approvals.listWaiting(owner, chatId, deps.clock.nowMs());
  if (waiting.length > 0) return undefined;
  const continued = JSON.stringify({ ...parseTurnRequest(request), isContinuation: true } satisfies TurnRequest);
  const run = { owner, chatId, request: continued };
  const produce = await resumeTurn(deps, run);
  try {
    const reader = await deps.runs.start({ ...run, isContinuation: true, isDetached: true, produce });
    // Whoever wants to read it follows the chat.
    reader.close();
    return reader.runId;
  } catch (error) {
    if (BerthError.is(error, 'conflict')) return undefined;
    throw error;
  }
}

/** Holds a membership while a turn runs, and stops the turn when the person leaves the workspace. Source: docs/contract/agent-api.md §7. */
function holdMembership(
  { runs, watch }: TurnDeps,
  { user, owner, workspace, chatId, logger }: Omit<Turn, 'request'>,
): (() => void) | undefined {
  if (workspace.type !== 'team' || !user) return undefined;
  const onLost = () => runInBackground('stop the turn of a former member', runs.stop(owner, chatId), logger);
  return watch?.hold(user, workspace, onLost);
}

/** Returns the workspace as handlers see it. */
export function workspaceOf({ dataFolder }: Pick<TurnDeps, 'dataFolder'>, workspace: ActiveWorkspace): Workspace {
  return { ...workspace, folder: workspaceFolder(dataFolder, workspace.key) };
}

/**
 * Refuses messages that name files outside the workspace, before anything is stored.
 * @throws `forbidden` or `invalid`, as every route with a path does.
 */
function checkMessagePaths(messages: readonly ChatMessage[]): void {
  for (const [index, { content, attachments }] of messages.entries()) {
    const at = ['body', 'messages', String(index)];
    for (const { path } of attachments ?? []) parseWorkspacePath(path, [...at, 'attachments']);
    if (typeof content === 'string') continue;
    for (const part of content) {
      if (part.type === 'image') parseWorkspacePath(part.image, [...at, 'content']);
      if (part.type === 'file') parseWorkspacePath(part.file, [...at, 'content']);
    }
  }
}

/**
 * Returns the message that a turn answers: the user's last one.
 * @throws `invalid` when there is none.
 */
function lastUserMessage(messages: readonly ChatMessage[]): ChatMessage {
  const message = messages.findLast(({ role }) => role === 'user');
  if (message) return message;
  const msg = 'no message has the role user';
  throw createValidationError([{ loc: ['body', 'messages'], msg, type: 'no_user_message' }]);
}

/** Returns the conversation of a stored chat. The server's copy counts, whatever the client sent. */
async function storedHistory(chats: ChatStore, owner: OwnerKey, chatId: string): Promise<TurnMessage[]> {
  const messages = await chats.messages(owner, chatId);
  return messages
    .filter((message) => !isDecision(message))
    .map(({ role, content, parts, attachments, status, isInternal }) => ({
      role,
      content,
      ...(parts ? { parts } : {}),
      ...(attachments ? { attachments } : {}),
      ...(status ? { status } : {}),
      ...(isInternal ? { isInternal } : {}),
    }));
}

/** True for the record of a decision, which is no message of the conversation. */
function isDecision({ role, parts = [] }: Pick<StoredMessage, 'role' | 'parts'>): boolean {
  return role === 'assistant' && parts.length > 0 && parts.every(({ type }) => type === 'decision');
}

/** Returns the conversation that a client sent for a chat that is not stored. Its claims about an assistant's parts are dropped. */
function claimedHistory(messages: readonly ChatMessage[]): TurnMessage[] {
  return messages.map(({ role, content, attachments }) => ({ role, content, ...(attachments ? { attachments } : {}) }));
}

/** Returns the title of a chat that starts with `message`: its text cut to 80 characters, else the name of its first file. */
export function turnTitle({ content, attachments }: Pick<ChatMessage, 'content' | 'attachments'>): string {
  const text = typeof content === 'string' ? content : (content.find((part) => part.type === 'text')?.text ?? '');
  // Counting code points keeps characters whole; twice the units hold enough of them.
  const title = [...text.slice(0, 2 * AGENT_LIMITS.titleCharacters)].slice(0, AGENT_LIMITS.titleCharacters).join('');
  return title === '' ? (attachments?.[0]?.name ?? '').slice(0, AGENT_LIMITS.titleCharacters) : title;
}
