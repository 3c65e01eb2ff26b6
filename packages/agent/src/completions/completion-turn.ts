import type { TurnMessage, Usage } from '@berth/agent-core';
import { AGENT_LIMITS, type CompletionFinishReason, type CompletionUsage } from '@berth/contract/agent';
import { isComponent } from '../runs/live-run.ts';
import { type ProduceTurn, produceTurn } from '../turns/produce-turn.ts';
import { createFlattener } from './create-flattener.ts';

/** Average characters per token in English. Source: OpenAI's help pages, "What are tokens". */
const CHARACTERS_A_TOKEN = 4;

/** A turn that runs without being stored. */
export type CompletionTurn = ReturnType<typeof openCompletionTurn>;

/**
 * Opens a turn that is not stored. It runs at the pace of the reader of its texts, and ends early when the signal aborts, because
 * the client disconnected, or when its time budget is used up, with the finish reason `length`.
 */
export function openCompletionTurn(
  turn: Omit<ProduceTurn, 'history' | 'onUsage'>,
  messages: readonly TurnMessage[],
  { runId, signal }: { readonly runId: string; readonly signal: AbortSignal },
) {
  const budget = new AbortController();
  const reported = { input: 0, output: 0 };
  let isReported = false;
  let said = 0;
  const onUsage = ({ inputTokens = 0, outputTokens = 0 }: Usage) => {
    isReported = true;
    reported.input += inputTokens;
    reported.output += outputTokens;
  };
  async function* texts(): AsyncGenerator<string> {
    const flattener = createFlattener();
    const late = () => budget.abort(new Error('the time of the turn is over'));
    const timer = turn.clock.setTimer(AGENT_LIMITS.budgetMs, late);
    const producer = { runId, signal: AbortSignal.any([signal, budget.signal]), addCost() {}, addMessage() {} };
    try {
      for await (const frame of produceTurn({ ...turn, history: () => messages, onUsage }, producer)) {
        if (!isComponent(frame)) continue;
        if (frame.type === 'text') said += frame.text.length;
        const text = flattener.add(frame);
        if (text !== '') yield text;
      }
      const rest = flattener.end();
      if (rest !== '') yield rest;
    } finally {
      timer.cancel();
    }
  }
  return {
    /** The text of the answer as Markdown, piece by piece. Leaving the loop ends the turn. @throws what the handler throws */
    texts: texts(),
    /** Returns how the turn ended, and the reported usage; without reports an estimate from the messages and the answer. */
    end(): { readonly finishReason: CompletionFinishReason; readonly usage: CompletionUsage } {
      const asked = messages.reduce((sum, { content }) => sum + lengthOf(content), 0);
      const input = isReported ? reported.input : estimate(asked);
      const output = isReported ? reported.output : estimate(said);
      const usage = { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
      return { finishReason: budget.signal.aborted ? 'length' : 'stop', usage };
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
