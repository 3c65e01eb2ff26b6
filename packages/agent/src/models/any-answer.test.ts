import { createSystemClock } from '@berth/kit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeParts } from './ai-sdk/decode-parts.ts';
import { decodeMessageEvents } from './anthropic/decode-message-events.ts';
import { decodeChunks } from './chat-completions/decode-chunks.ts';
import type { ModelEvent } from './model.ts';
import { ModelError } from './model-error.ts';

async function* oneBatch(events: readonly unknown[]) {
  yield events.map((event) => (typeof event === 'string' ? event : JSON.stringify(event)));
}

function streamOf(parts: readonly unknown[]): ReadableStream<unknown> {
  return new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });
}

const options = { signal: new AbortController().signal, clock: createSystemClock() };
const any = fc.jsonValue({ maxDepth: 4 });
/** Values where the protocols have others, among some that are right. */
const field = fc.oneof(any, fc.constantFrom('text', 'tool_use', 'thinking', 'x', 0, null));
const chunk = fc.record({
  choices: fc.oneof(
    any,
    fc.array(
      fc.record(
        {
          delta: fc.oneof(
            any,
            fc.record(
              {
                content: field,
                reasoning: field,
                tool_calls: fc.oneof(
                  any,
                  fc.array(fc.record({ index: field, id: field, function: field }, { requiredKeys: [] })),
                ),
              },
              { requiredKeys: [] },
            ),
          ),
          finish_reason: fc.oneof(any, fc.constantFrom('stop', 'tool_calls', 'toString', '__proto__')),
        },
        { requiredKeys: [] },
      ),
    ),
  ),
  usage: any,
});
const message = fc.record(
  {
    type: fc.constantFrom(
      'message_start',
      'content_block_start',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
      'message',
      'ping',
    ),
    index: fc.constantFrom(0, 1, null),
    content_block: fc.oneof(
      any,
      fc.record({ type: field, text: field, id: field, name: field, input: field }, { requiredKeys: [] }),
    ),
    delta: fc.oneof(
      any,
      fc.record({ text: field, thinking: field, partial_json: field, stop_reason: field }, { requiredKeys: [] }),
    ),
    message: any,
    content: any,
    usage: any,
  },
  { requiredKeys: ['type'] },
);
const part = fc.record(
  {
    type: fc.constantFrom(
      'text-delta',
      'reasoning-delta',
      'reasoning-end',
      'tool-input-start',
      'tool-input-delta',
      'tool-call',
      'finish',
      'error',
    ),
    id: field,
    delta: field,
    toolCallId: field,
    toolName: field,
    input: field,
    usage: any,
    finishReason: any,
    error: any,
  },
  { requiredKeys: ['type'] },
);

test.each([
  [
    'Chat Completions',
    fc.array(fc.oneof(chunk, any)),
    (events: readonly unknown[]) => decodeChunks('m', oneBatch(events)),
  ],
  [
    'Messages',
    fc.array(fc.oneof(message, any)),
    (events: readonly unknown[]) => decodeMessageEvents('m', oneBatch(events)),
  ],
  [
    'the AI SDK',
    fc.array(fc.oneof(part, any)),
    (events: readonly unknown[]) => decodeParts('m', streamOf(events), options),
  ],
] as const)(
  'whatever comes as an answer of %s: events with one end, or a model error',
  async (_name, events, decode) => {
    await fc.assert(
      fc.asyncProperty(events, async (given) => {
        const seen: ModelEvent[] = [];
        try {
          for await (const event of decode(given)) seen.push(event);
        } catch (error) {
          expect(error).toBeInstanceOf(ModelError);
          return;
        }
        expect(seen.filter(({ type }) => type === 'end')).toHaveLength(1);
        expect(seen.at(-1)).toMatchObject({
          type: 'end',
          reason: expect.stringMatching(/^(stop|tool_calls|length|refusal)$/),
        });
        for (const event of seen) {
          if (event.type === 'text' || event.type === 'thinking') expect(typeof event.text).toBe('string');
          if (event.type === 'tool_call') expect([typeof event.id, typeof event.args]).toEqual(['string', 'string']);
          if (event.type === 'end')
            for (const count of Object.values(event.usage)) expect(count).toBeGreaterThanOrEqual(0);
        }
      }),
      { numRuns: 300 },
    );
  },
);
