import type {
  ClientTurn,
  Handler,
  HandlerContext,
  OutputFormat,
  ResumedTurn,
  TurnMessage,
  Usage,
} from '@berth/agent-core';
import { type ChatRequest, COMPLETION_FINISH_REASONS, joinParts, type Part } from '@berth/contract/agent';

import { type Clock, describeError, type Logger } from '@berth/kit';
import { z } from 'zod';
import type { Budgets } from '../budgets/create-budgets.ts';
import type { ProducerContext } from '../runs/run-engine.ts';
import { emitHandlerFrames } from './handler-frames.ts';
import { createUsageLine } from './usage-line.ts';

/** A turn to produce. */
export interface ProduceTurn extends Pick<HandlerContext, 'user' | 'ownerKey' | 'chatId' | 'workspace'> {
  readonly handler: Handler;
  /** Undefined for an agent without budgets. */
  readonly budgets?: Budgets | undefined;
  readonly turn: Pick<ChatRequest, 'disabled_tools' | 'approvals' | 'auto' | 'connectors'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Loads the conversation; called after the first frame was emitted. */
  history(producer: Pick<ProducerContext, 'isFirstMessage'>): Promise<readonly TurnMessage[]> | readonly TurnMessage[];
  /** True for a turn that continues the last answer of the conversation. */
  readonly isContinuation?: boolean;
  /** True for a continuation after the person connected a connector; otherwise they decided on calls. */
  readonly isConnected?: boolean;
  /** Called with what each call of a model used. */
  onUsage?(usage: Usage): void;
  /** The form that the answer shall have. */
  readonly outputForm?: OutputFormat;
  /** The program that called, with tools of its own. */
  readonly client?: ClientTurn;
  /** Called with how the turn ended, unless it failed. */
  onEnd?(end: TurnEnd): void;
  /** Called with the structured answer, when there is one. */
  onOutput?(output: unknown): void;
}

/**
 * Splits a conversation into the messages up to the one to answer, and the answer so far: what the chat has of it, and what the
 * process that ended has recorded since.
 */
function resumedTurn(
  conversation: readonly TurnMessage[],
  recorded: readonly Part[] | undefined,
  isConnected = false,
): { readonly messages: readonly TurnMessage[]; readonly resumed: ResumedTurn } {
  const question = conversation.findLastIndex(({ role, isInternal }) => role === 'user' && !isInternal);
  const isAnswer = ({ role, isInternal }: TurnMessage, index: number) =>
    index > question && role === 'assistant' && !isInternal;
  const answered = conversation.filter(isAnswer).flatMap(({ parts = [] }) => parts);
  const reason = recorded ? 'restart' : isConnected ? 'connection' : 'decision';
  return {
    messages: conversation.filter((message, index) => !isAnswer(message, index)),
    resumed: { reason, parts: joinParts(joinParts([], answered), recorded ?? []) },
  };
}

const resultSchema = z.object({
  internal: z.array(z.object({ role: z.enum(['system', 'user', 'assistant']), content: z.string() })).optional(),
  output: z.unknown().optional(),
  finishReason: z.enum(COMPLETION_FINISH_REASONS).optional(),
  clientCalls: z.array(z.object({ id: z.string(), tool: z.string(), args: z.string() })).optional(),
});

/** How a turn ended, as its handler returned it. */
export type TurnEnd = Pick<z.infer<typeof resultSchema>, 'finishReason' | 'clientCalls'>;

/** Emits the frames of a turn: the chat's id, then the handler's. @throws what the handler throws. */
export async function produceTurn(
  {
    handler,
    budgets,
    turn,
    clock,
    logger,
    history,
    isContinuation,
    isConnected,
    onUsage,
    outputForm,
    onOutput,
    client,
    onEnd,
    user,
    ownerKey,
    chatId,
    workspace,
  }: ProduceTurn,
  { runId, signal, emit, saved, resumed: journal, addCost, addMessage, isFirstMessage }: ProducerContext,
): Promise<void> {
  if (!journal) await emit({ type: 'chat_id', chat_id: chatId });
  const conversation = await history({ isFirstMessage });
  const { messages, resumed } =
    journal || isContinuation
      ? resumedTurn(conversation, journal?.parts, isConnected)
      : { messages: conversation, resumed: undefined };
  if (signal.aborted) return;
  const log = logger.child({ chatId, runId });
  const used = createUsageLine({ user, chatId, runId, log, clock });
  const budget = budgets?.open(user);
  const output = handler({
    messages,
    user,
    ownerKey,
    chatId,
    runId,
    workspace,
    signal,
    log,
    saved,
    ...(resumed && { resumed }),
    turn: {
      disabledTools: turn.disabled_tools,
      approvals: turn.approvals,
      auto: turn.auto,
      connectors: turn.connectors,
      ...(outputForm && { output: outputForm }),
      ...(client && { client }),
    },
    reportUsage(usage) {
      if (usage.costUsd !== undefined) addCost(usage.costUsd);
      used.add(usage);
      budget?.add(usage);
      onUsage?.(usage);
    },
    checkBudget: async () => budget?.check(),
  });
  try {
    const result = resultSchema.safeParse(await emitHandlerFrames({ output, signal, clock, log, emit }));
    if (result.data) onEnd?.(result.data);
    if (result.data?.output !== undefined) onOutput?.(result.data.output);
    for (const message of result.data?.internal ?? []) addMessage({ ...message, isInternal: true });
  } finally {
    used.write();
    await budget?.settle().catch((error: unknown) => {
      log.error({ error: describeError(error) }, 'the usage of a turn could not be counted');
    });
  }
}
