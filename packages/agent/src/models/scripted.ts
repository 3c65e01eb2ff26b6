import { type Clock, createSystemClock } from '@berth/kit';
import type { AssistantContent, Model, ModelEvent, ModelRequest, TokenUsage } from './model.ts';

/** One answer of a scripted model. */
export interface ScriptedAnswer {
  readonly thinking?: string;
  readonly text?: string;
  /** Parallel tool calls; missing ids are generated. */
  readonly calls?: readonly { readonly tool: string; readonly args: unknown; readonly id?: string }[];
  /** Thrown after the text, e.g. a ModelError. */
  readonly error?: Error;
}

/** An answer, or a function that makes one from the request; `turn` counts answers from 0. */
export type ScriptedStep = ScriptedAnswer | string | ((request: ModelRequest, turn: number) => ScriptedAnswer | string);

export interface ScriptedOptions {
  readonly name?: string;
  /** False for a model that gives structured output by a tool. */
  readonly hasResponseFormat?: boolean;
  /** Pause between two words. */
  readonly delayMs?: number;
  readonly clock?: Clock;
}

/**
 * Creates a model that streams given answers word by word, for tests and for agents without a key. It gives the answers in order
 * and repeats the last one.
 */
export function scripted(steps: ScriptedStep | readonly ScriptedStep[], options: ScriptedOptions = {}): Model {
  const { name = 'scripted', hasResponseFormat = true, delayMs = 0, clock = createSystemClock() } = options;
  const list = Array.isArray(steps) ? steps : [steps];
  if (list.length === 0) throw new RangeError('scripted() needs at least one answer.');
  let turn = 0;
  return {
    name,
    hasResponseFormat,
    async *stream(request) {
      request.signal.throwIfAborted();
      const step = list[Math.min(turn, list.length - 1)] as ScriptedStep;
      const given = typeof step === 'function' ? step(request, turn) : step;
      turn++;
      const answer = typeof given === 'string' ? { text: given } : given;
      for (const event of eventsOf(answer, turn, request)) {
        if (delayMs > 0) await clock.sleep(delayMs, request.signal);
        request.signal.throwIfAborted();
        yield event;
      }
    },
  };
}

function* eventsOf(answer: ScriptedAnswer, turn: number, request: ModelRequest): Generator<ModelEvent> {
  for (const word of wordsOf(answer.thinking)) yield { type: 'thinking', text: word };
  if (answer.thinking) yield { type: 'thinking_end' };
  for (const word of wordsOf(answer.text)) yield { type: 'text', text: word };
  const calls = (answer.calls ?? []).map(({ tool, args, id }, index) => ({
    id: id ?? `call_${turn}_${index}`,
    tool,
    args: typeof args === 'string' ? args : JSON.stringify(args),
  }));
  for (const { id, tool, args } of calls) {
    yield { type: 'tool_start', id, tool };
    yield { type: 'tool_delta', id, delta: args };
  }
  for (const call of calls) yield { type: 'tool_call', ...call };
  if (answer.error) throw answer.error;
  yield { type: 'end', reason: calls.length > 0 ? 'tool_calls' : 'stop', usage: estimate(answer, request) };
}

/** Estimates tokens: four characters each. */
function estimate(answer: ScriptedAnswer, request: ModelRequest): TokenUsage {
  const asked = request.messages.map((message) =>
    message.role === 'tool' ? message.text : textsOf(message.content as readonly AssistantContent[]),
  );
  const said = `${answer.thinking ?? ''}${answer.text ?? ''}${JSON.stringify(answer.calls ?? '')}`;
  const count = (text: string) => Math.ceil(text.length / 4);
  return { input: count((request.system ?? '') + asked.join('')), cachedInput: 0, cacheWrite: 0, output: count(said) };
}

function textsOf(content: readonly AssistantContent[]): string {
  return content.map((part) => ('text' in part ? part.text : '')).join('');
}

function wordsOf(text = ''): readonly string[] {
  return text.match(/\s*\S+\s*$|\s*\S+|\s+/g) ?? [];
}
