import type { OutputFormat, TurnMessage, Usage } from '@berth/agent-core';
import {
  AGENT_LIMITS,
  type CompletionApproval,
  type CompletionFinishReason,
  type CompletionToolCall,
  type CompletionUsage,
  type Frame,
  type UiFrame,
} from '@berth/contract/agent';
import { isComponent } from '../runs/live-run.ts';
import type { EmitFrame } from '../runs/run-engine.ts';
import { type ProduceTurn, produceTurn, type TurnEnd } from '../turns/produce-turn.ts';
import { createFlattener } from './create-flattener.ts';

/** Average characters per token in English. Source: OpenAI's help pages, "What are tokens". */
const CHARACTERS_A_TOKEN = 4;

/** A turn that runs without being stored. */
export type CompletionTurn = ReturnType<typeof openCompletionTurn>;

/** How a completion ended. */
export interface CompletionEnd {
  readonly finishReason: CompletionFinishReason;
  /** Reported by the handler; without reports an estimate from the messages and the answer. */
  readonly usage: CompletionUsage;
  readonly toolCalls: readonly CompletionToolCall[];
  readonly approvals: readonly CompletionApproval[];
}

interface CompletionTurnOptions extends Omit<ProduceTurn, 'history' | 'onUsage' | 'onEnd' | 'outputForm'> {
  readonly outputForm?: OutputFormat | undefined;
}

/**
 * Opens a turn that is not stored. It runs at the pace of the reader of its texts, and ends early when the signal aborts, because
 * the client disconnected, or when its time budget is used up, with the finish reason `length`.
 */
export function openCompletionTurn(
  { outputForm, ...turn }: CompletionTurnOptions,
  messages: readonly TurnMessage[],
  { runId, signal }: { readonly runId: string; readonly signal: AbortSignal },
) {
  const budget = new AbortController();
  const reported = { input: 0, output: 0 };
  let isReported = false;
  let said = 0;
  let ending: TurnEnd = {};
  const approvals: CompletionApproval[] = [];
  const onUsage = ({ inputTokens = 0, outputTokens = 0 }: Usage) => {
    isReported = true;
    reported.input += inputTokens;
    reported.output += outputTokens;
  };
  const onEnd = (end: TurnEnd) => {
    ending = end;
  };
  async function* texts(): AsyncGenerator<string> {
    const flattener = createFlattener();
    const left = new AbortController();
    const late = () => budget.abort(new Error('the turn timed out'));
    const timer = turn.clock.setTimer(AGENT_LIMITS.budgetMs, late);
    const producer = {
      runId,
      signal: AbortSignal.any([signal, budget.signal, left.signal]),
      isFirstMessage: false,
      async saved() {},
      addCost() {},
      addMessage() {},
    };
    const history = () => messages;
    const given = { ...turn, ...(outputForm && { outputForm }), history, onUsage, onEnd };
    const frames = emitted((emit) => produceTurn(given, { ...producer, emit }));
    let whole = '';
    const add = (text: string) => {
      if (outputForm) whole += text;
      return text;
    };
    try {
      for await (const frame of frames) {
        if (frame.type === 'ui' && frame.action === 'confirm') approvals.push(toApproval(turn.chatId, frame));
        if (!isComponent(frame)) continue;
        if (frame.type === 'text') said += frame.text.length;
        const text = flattener.add(frame);
        if (text !== '') yield add(text);
      }
      const rest = flattener.end();
      if (rest !== '') yield add(rest);
      if (outputForm && finishReason() === 'stop' && approvals.length === 0) checkForm(outputForm, whole);
      // Clients without the extension show why the answer ends here.
      if (!outputForm && approvals.length > 0) yield `${said === 0 ? '' : '\n\n'}${waitingText(approvals)}`;
    } finally {
      left.abort(new Error('the client disconnected'));
      timer.cancel();
    }
  }
  const finishReason = () => (budget.signal.aborted ? 'length' : (ending.finishReason ?? 'stop'));
  return {
    /**
     * The text of the answer as Markdown, piece by piece. Leaving the loop ends the turn.
     * @throws what the handler throws, and TypeError for an answer that has not the form that was asked for.
     */
    texts: texts(),
    /** Returns how the turn ended. */
    end(): CompletionEnd {
      const asked = messages.reduce((sum, { content }) => sum + lengthOf(content), 0);
      const input = isReported ? reported.input : estimate(asked);
      const output = isReported ? reported.output : estimate(said);
      const toolCalls = (ending.clientCalls ?? []).map(
        ({ id, tool, args }): CompletionToolCall => ({
          id,
          type: 'function',
          function: { name: tool, arguments: args },
        }),
      );
      const usage = { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
      return { finishReason: finishReason(), usage, toolCalls, approvals };
    },
  };
}

/** Yields what `produce` emits; it waits until that was taken. @throws what `produce` throws. */
async function* emitted(produce: (emit: EmitFrame) => Promise<void>): AsyncGenerator<Frame> {
  let waiting: Frame[] = [];
  let news = Promise.withResolvers<void>();
  let taken = Promise.withResolvers<void>();
  let isOver = false;
  const work = produce((frame) => {
    waiting.push(frame);
    news.resolve();
    return taken.promise;
  }).finally(() => {
    isOver = true;
    news.resolve();
  });
  // Awaited below, unless the reader leaves before.
  work.catch(() => {});
  while (!isOver || waiting.length > 0) {
    await news.promise;
    news = Promise.withResolvers<void>();
    const [frames, { resolve }] = [waiting, taken];
    waiting = [];
    taken = Promise.withResolvers<void>();
    yield* frames;
    resolve();
  }
  await work;
}

/** Returns the id of an approval: its chat, which the decision must name, and its key. */
function toApproval(chatId: string, frame: UiFrame): CompletionApproval {
  const text = (field: string) => String(frame[field] ?? '');
  return {
    id: `${chatId}.${text('key')}`,
    type: 'approval_request',
    name: text('tool'),
    arguments: JSON.stringify(frame['args'] ?? {}),
    label: text('label'),
    risk: text('risk'),
    ...(frame['connector'] !== undefined && { connector: text('connector') }),
  };
}

function waitingText(approvals: readonly CompletionApproval[]): string {
  return approvals.map(({ label }) => `> Waits for approval: ${label}\n`).join('\n');
}

function checkForm(form: OutputFormat, text: string): void {
  const parsed = form.parse(text);
  if ('problem' in parsed) throw new TypeError(`the answer does not match the requested format: ${parsed.problem}`);
}

function estimate(characters: number): number {
  return Math.ceil(characters / CHARACTERS_A_TOKEN);
}

function lengthOf(content: TurnMessage['content']): number {
  if (typeof content === 'string') return content.length;
  return content.reduce((sum, part) => sum + (part.type === 'text' ? part.text.length : 0), 0);
}
