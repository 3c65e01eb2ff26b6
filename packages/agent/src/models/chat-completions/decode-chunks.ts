import { randomBytes } from 'node:crypto';
import { type EndReason, type ModelEvent, NO_USAGE, type TokenUsage } from '../model.ts';
import { ModelError } from '../model-error.ts';
import { faultOfEvent } from '../upstream/fault-of-answer.ts';
import { countOf, type Loose, listOf, objectOf, readObject, textOf } from '../upstream/read-json.ts';

const END_REASONS: ReadonlyMap<string, EndReason> = new Map([
  ['stop', 'stop'],
  ['eos', 'stop'],
  ['tool_calls', 'tool_calls'],
  ['function_call', 'tool_calls'],
  ['length', 'length'],
  ['content_filter', 'refusal'],
]);

const THINKING_FIELDS = ['reasoning_content', 'reasoning'];

/**
 * Yields the chunks of an answer as events. Servers differ; this also reads thinking as `reasoning_content` or `reasoning`
 * (vLLM, DeepSeek, Groq, OpenRouter) or inside the content (Mistral), a last chunk with usage and no choices, a whole
 * answer although a stream was asked for, an end without `[DONE]`.
 * @throws ModelError `cut` for an answer without a finish reason.
 */
export async function* decodeChunks(
  name: string,
  batches: AsyncIterable<readonly string[]>,
): AsyncGenerator<ModelEvent> {
  const calls = createCallCollector();
  let usage: TokenUsage = NO_USAGE;
  let reason: EndReason | undefined;
  let isThinking = false;
  let proof: { readonly field: string } | undefined;
  let isDone = false;

  function* endThinking(): Generator<ModelEvent> {
    if (isThinking) yield { type: 'thinking_end', ...(proof && { proof }) };
    isThinking = false;
  }

  function* decode(chunk: Loose): Generator<ModelEvent> {
    if (chunk['error'] !== undefined && chunk['error'] !== null) throw faultOfEvent(name, chunk['error']);
    usage = readUsage(chunk['usage']) ?? usage;
    const choice = objectOf(listOf(chunk['choices'])[0]);
    const delta = objectOf(choice['delta'] ?? choice['message']);
    const { text, thinking, field } = readContent(delta);
    if (thinking !== '') {
      isThinking = true;
      proof = field === undefined ? undefined : { field };
      yield { type: 'thinking', text: thinking };
    }
    if (text !== '') {
      yield* endThinking();
      yield { type: 'text', text };
    }
    for (const call of listOf(delta['tool_calls'])) yield* calls.add(objectOf(call));
    const finish = choice['finish_reason'];
    if (typeof finish === 'string' && finish !== '') reason = END_REASONS.get(finish) ?? 'stop';
  }

  reading: for await (const batch of batches) {
    for (const data of batch) {
      if (data.trim() === '[DONE]') {
        isDone = true;
        break reading;
      }
      yield* decode(readObject(name, data));
    }
  }
  if (reason === undefined && !isDone)
    throw new ModelError('cut', `${name} ended its response without a finish reason.`);
  yield* endThinking();
  const whole = calls.end();
  yield* whole;
  // Some servers send "stop" after a call.
  yield { type: 'end', reason: whole.length > 0 && reason !== 'length' ? 'tool_calls' : (reason ?? 'stop'), usage };
}

/** `field` names the field of the thinking when it is not part of the content. */
function readContent(delta: Loose): { readonly text: string; readonly thinking: string; readonly field?: string } {
  const field = THINKING_FIELDS.find((one) => textOf(delta[one]) !== '');
  const thinking = field === undefined ? '' : textOf(delta[field]);
  const { content } = delta;
  // A refusal arrives in this field in place of the content.
  if (!Array.isArray(content)) {
    return { text: textOf(content) || textOf(delta['refusal']), thinking, ...(field !== undefined && { field }) };
  }
  let text = '';
  let inner = thinking;
  for (const part of content.map(objectOf)) {
    if (part['type'] === 'text') text += textOf(part['text']);
    if (part['type'] === 'thinking') {
      inner += listOf(part['thinking'])
        .map((one) => textOf(objectOf(one)['text']))
        .join('');
    }
  }
  return { text, thinking: inner };
}

function readUsage(value: unknown): TokenUsage | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const usage = objectOf(value);
  return {
    input: countOf(usage['prompt_tokens']),
    cachedInput: countOf(objectOf(usage['prompt_tokens_details'])['cached_tokens']),
    cacheWrite: 0,
    output: countOf(usage['completion_tokens']),
  };
}

type CallEvent = Extract<ModelEvent, { readonly type: 'tool_start' | 'tool_delta' | 'tool_call' }>;

interface OpenCall {
  readonly index: unknown;
  readonly id: string;
  tool: string;
  args: string;
  /** `extra_content` with Gemini's signature of a call, which it expects back. */
  extra?: unknown;
}

/**
 * Assembles calls from their pieces. Usually the first piece has index, id and name, and further ones have the index and more of the
 * arguments. Servers also send: no index (a new id or a name then starts a call), no id (one is generated), id and name in each
 * piece, a different id in each piece, every call at index 0, arguments as an object.
 */
function createCallCollector() {
  const calls: OpenCall[] = [];

  const find = (index: unknown, id: string, tool: string): OpenCall | undefined => {
    const sameId = id === '' ? undefined : calls.find((call) => call.id === id);
    if (sameId || index === undefined) return sameId ?? (id === '' && tool === '' ? calls.at(-1) : undefined);
    const sameIndex = calls.findLast((call) => call.index === index);
    // A name at a used index starts another call.
    return id !== '' && tool !== '' ? undefined : sameIndex;
  };

  return {
    /** Adds one entry of a chunk's `tool_calls`. */
    *add(delta: Loose): Generator<CallEvent> {
      const fn = objectOf(delta['function']);
      const id = textOf(delta['id']);
      const tool = textOf(fn['name']);
      const { arguments: given } = fn;
      const args = typeof given === 'object' && given !== null ? JSON.stringify(given) : textOf(given);
      let call = find(delta['index'], id, tool);
      if (!call) {
        call = { index: delta['index'], id: id || `call_${randomBytes(12).toString('hex')}`, tool, args: '' };
        calls.push(call);
        yield { type: 'tool_start', id: call.id, tool };
      } else if (call.tool === '') call.tool = tool;
      if (delta['extra_content'] !== undefined) call.extra = delta['extra_content'];
      if (args === '') return;
      call.args += args;
      yield { type: 'tool_delta', id: call.id, delta: args };
    },
    /** Yields the complete calls, in the order they started. */
    end: (): readonly CallEvent[] =>
      calls.map(({ id, tool, args, extra }) => ({
        type: 'tool_call',
        id,
        tool,
        args,
        ...(extra !== undefined && { proof: { extra } }),
      })),
  };
}
