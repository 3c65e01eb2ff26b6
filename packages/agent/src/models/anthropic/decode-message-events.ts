import { type EndReason, type ModelEvent, NO_USAGE, type TokenUsage } from '../model.ts';
import { ModelError } from '../model-error.ts';
import { faultOfEvent } from '../upstream/fault-of-answer.ts';
import { countOf, type Loose, listOf, objectOf, readObject, textOf } from '../upstream/read-json.ts';

const END_REASONS: ReadonlyMap<string, EndReason> = new Map([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['pause_turn', 'stop'],
  ['tool_use', 'tool_calls'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['refusal', 'refusal'],
]);

type Block =
  | { readonly type: 'text' }
  | { readonly type: 'thinking'; proof: Readonly<Record<string, string>> }
  | { readonly type: 'tool_call'; readonly id: string; readonly tool: string; args: string };

/**
 * Yields the events of the Messages API as model events. Skips unknown kinds of blocks and events, as the protocol requires.
 * @throws ModelError `cut` for an answer that ends before `message_stop`.
 */
export async function* decodeMessageEvents(
  name: string,
  batches: AsyncIterable<readonly string[]>,
): AsyncGenerator<ModelEvent> {
  const blocks = new Map<unknown, Block>();
  let usage: TokenUsage = NO_USAGE;
  let reason: EndReason = 'stop';

  function* decode(event: Loose): Generator<ModelEvent> {
    switch (event['type']) {
      case 'message_start':
        usage = readUsage(objectOf(event['message'])['usage'], usage);
        break;
      case 'content_block_start':
        yield* openBlock(event['index'], objectOf(event['content_block']));
        break;
      case 'content_block_delta':
        yield* extendBlock(blocks.get(event['index']), objectOf(event['delta']));
        break;
      case 'content_block_stop':
        yield* closeBlock(blocks.get(event['index']));
        blocks.delete(event['index']);
        break;
      case 'message_delta':
        reason = END_REASONS.get(textOf(objectOf(event['delta'])['stop_reason'])) ?? reason;
        usage = readUsage(event['usage'], usage);
        break;
      case 'error':
        throw faultOfEvent(name, event['error']);
    }
  }

  function* openBlock(index: unknown, given: Loose): Generator<ModelEvent> {
    if (given['type'] === 'text') {
      blocks.set(index, { type: 'text' });
      if (textOf(given['text']) !== '') yield { type: 'text', text: textOf(given['text']) };
    } else if (given['type'] === 'thinking') {
      blocks.set(index, { type: 'thinking', proof: { signature: textOf(given['signature']) } });
    } else if (given['type'] === 'redacted_thinking') {
      blocks.set(index, { type: 'thinking', proof: { redacted: textOf(given['data']) } });
    } else if (given['type'] === 'tool_use') {
      const call: Block = { type: 'tool_call', id: textOf(given['id']), tool: textOf(given['name']), args: '' };
      blocks.set(index, call);
      yield { type: 'tool_start', id: call.id, tool: call.tool };
      // Usually empty here; the deltas that follow fill it.
      const input = JSON.stringify(objectOf(given['input']));
      if (input !== '{}') yield* extendBlock(call, { partial_json: input });
    }
  }

  // An upstream that does not stream sends the whole message at once.
  function* decodeWhole(message: Loose): Generator<ModelEvent> {
    usage = readUsage(message['usage'], usage);
    reason = END_REASONS.get(textOf(message['stop_reason'])) ?? reason;
    for (const [index, block] of listOf(message['content']).map(objectOf).entries()) {
      yield* openBlock(index, block);
      if (textOf(block['thinking']) !== '') yield { type: 'thinking', text: textOf(block['thinking']) };
      yield* closeBlock(blocks.get(index));
    }
  }

  for await (const batch of batches) {
    for (const data of batch) {
      const event = readObject(name, data);
      if (event['type'] === 'message') {
        yield* decodeWhole(event);
        return yield { type: 'end', reason, usage };
      }
      if (event['type'] === 'message_stop') return yield { type: 'end', reason, usage };
      yield* decode(event);
    }
  }
  throw new ModelError('cut', `${name} ended its response without a finish reason.`);
}

function* extendBlock(block: Block | undefined, delta: Loose): Generator<ModelEvent> {
  if (block?.type === 'text' && textOf(delta['text']) !== '') yield { type: 'text', text: textOf(delta['text']) };
  if (block?.type === 'thinking') {
    if (textOf(delta['thinking']) !== '') yield { type: 'thinking', text: textOf(delta['thinking']) };
    if (textOf(delta['signature']) !== '') block.proof = { signature: textOf(delta['signature']) };
  }
  if (block?.type === 'tool_call' && textOf(delta['partial_json']) !== '') {
    block.args += textOf(delta['partial_json']);
    yield { type: 'tool_delta', id: block.id, delta: textOf(delta['partial_json']) };
  }
}

function* closeBlock(block: Block | undefined): Generator<ModelEvent> {
  if (block?.type === 'thinking') yield { type: 'thinking_end', proof: block.proof };
  if (block?.type === 'tool_call') yield block;
}

/** Merges usage: later counts replace earlier ones, missing ones keep them. */
function readUsage(value: unknown, before: TokenUsage): TokenUsage {
  const usage = objectOf(value);
  const read = (field: string, old: number) => (typeof usage[field] === 'number' ? countOf(usage[field]) : old);
  const cachedInput = read('cache_read_input_tokens', before.cachedInput);
  const cacheWrite = read('cache_creation_input_tokens', before.cacheWrite);
  const plain = read('input_tokens', before.input - before.cachedInput - before.cacheWrite);
  return {
    input: plain + cachedInput + cacheWrite,
    cachedInput,
    cacheWrite,
    output: read('output_tokens', before.output),
  };
}
