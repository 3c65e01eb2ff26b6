import type { TurnMessage, Usage } from '@berth/agent-core';
import { AGENT_LIMITS, type CompletionUsage, type ComponentFrame } from '@berth/contract/agent';
import type { Clock } from '@berth/kit';
import { isComponent } from '../runs/live-run.ts';
import { type ProduceTurn, produceTurn } from '../turns/produce-turn.ts';
import type { CompletionEnd, CompletionSource } from './completion-chunks.ts';

interface CompletionSourceOptions {
  readonly turn: Omit<ProduceTurn, 'history' | 'onUsage'>;
  readonly messages: readonly TurnMessage[];
  readonly runId: string;
  readonly clock: Clock;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
}

/**
 * Runs a turn without storing it, at the pace of its consumer. The turn ends early when the client disconnects, or when its
 * time budget is used up, with the finish reason `length`.
 */
export async function* completionSource({
  turn,
  messages,
  runId,
  clock,
  signal,
}: CompletionSourceOptions): CompletionSource {
  const meter = createUsageMeter(messages);
  const budget = new AbortController();
  const timer = clock.setTimer(AGENT_LIMITS.budgetMs, () => budget.abort(new Error('the time of the turn is over')));
  const frames = produceTurn(
    { ...turn, history: () => messages, onUsage: (usage) => meter.report(usage) },
    { runId, signal: AbortSignal.any([signal, budget.signal]), addCost: () => {}, addMessage: () => {} },
  );
  try {
    for await (const frame of frames) {
      if (!isComponent(frame)) continue;
      meter.count(frame);
      yield frame;
    }
    return { finishReason: budget.signal.aborted ? 'length' : 'stop', usage: meter.total() } satisfies CompletionEnd;
  } finally {
    timer.cancel();
  }
}

/** Average characters per token in English. Source: OpenAI's help pages, "What are tokens". */
const CHARACTERS_A_TOKEN = 4;

/** Creates a meter of the tokens that a turn with these messages as input uses. */
function createUsageMeter(messages: readonly TurnMessage[]) {
  let said = 0;
  let isReported = false;
  let input = 0;
  let output = 0;
  return {
    /** Adds the usage that a model call reported. */
    report({ inputTokens = 0, outputTokens = 0 }: Usage): void {
      isReported = true;
      input += inputTokens;
      output += outputTokens;
    },
    /** Counts the text of a frame, for an estimate. */
    count(frame: ComponentFrame): void {
      if (frame.type === 'text') said += frame.text.length;
    },
    /** Returns the reported usage; without reports, an estimate from the length of the messages and the answer. */
    total(): CompletionUsage {
      const prompt = isReported ? input : estimate(messages.reduce((sum, { content }) => sum + lengthOf(content), 0));
      const completion = isReported ? output : estimate(said);
      return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
    },
  };
}

function estimate(characters: number): number {
  return Math.ceil(characters / CHARACTERS_A_TOKEN);
}

function lengthOf(content: TurnMessage['content']): number {
  if (typeof content === 'string') return content.length;
  return content.reduce((sum, part) => sum + (part.type === 'text' ? part.text.length : 0), 0);
}
