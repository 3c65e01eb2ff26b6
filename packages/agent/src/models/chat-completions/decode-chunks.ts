import { type EndReason, type ModelEvent, NO_USAGE, type TokenUsage } from '../model.ts';
import { ModelError } from '../model-error.ts';
import { faultOfEvent } from '../upstream/fault-of-answer.ts';
import { countOf, type Loose, listOf, objectOf, readObject, textOf } from '../upstream/read-json.ts';
import { createCallCollector } from './call-collector.ts';

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
  if (reason === undefined && !isDone) throw new ModelError('cut', `${name} ended its answer without a reason.`);
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
