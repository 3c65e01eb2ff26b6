import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { expect, test } from 'vitest';
import { collectAnswer, joined } from '../testing/collect-answer.ts';
import { openScriptedUpstream, refuse, sse } from '../testing/open-scripted-upstream.ts';
import { SAMPLE_REQUEST } from '../testing/sample-request.ts';
import { type AiSdkModel, aiSdk } from './ai-sdk.ts';
import { encodePrompt } from './encode-prompt.ts';

const chunk = (delta: unknown, finish_reason: string | null = null, more: object = {}) => ({
  id: 'x',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices: [{ index: 0, delta, finish_reason }],
  ...more,
});
const connect = (baseURL: string) =>
  aiSdk(createOpenAICompatible({ name: 'own', baseURL, apiKey: 'sk-1', includeUsage: true })('m'));

test('a real provider of the AI SDK: what it sends, what it reads', async () => {
  await using upstream = await openScriptedUpstream(
    sse([
      chunk({ role: 'assistant', reasoning_content: 'Let me see' }),
      chunk({ content: 'I look.' }),
      chunk({ tool_calls: [{ index: 0, id: 'c1', type: 'function', function: { name: 'read', arguments: '{"pa' } }] }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: 'th":"x"}' } }] }),
      chunk({}, 'tool_calls', {
        usage: { prompt_tokens: 20, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 8 } },
      }),
      '[DONE]',
    ]),
  );
  const events = joined(await collectAnswer(connect(upstream.url), SAMPLE_REQUEST));
  expect(events.filter(({ type }) => type !== 'tool_delta' && type !== 'thinking_end')).toEqual([
    { type: 'thinking', text: 'Let me see' },
    { type: 'text', text: 'I look.' },
    { type: 'tool_start', id: 'c1', tool: 'read' },
    { type: 'tool_call', id: 'c1', tool: 'read', args: '{"path":"x"}' },
    { type: 'end', reason: 'tool_calls', usage: { input: 20, cachedInput: 8, cacheWrite: 0, output: 5 } },
  ]);
  const { body } = upstream.seen[0] ?? {};
  expect(body.messages.map(({ role }: { role: string }) => role)).toEqual([
    'system',
    'user',
    'assistant',
    'tool',
    'tool',
    'user',
  ]);
  expect(body.messages[1].content[1].image_url.url).toBe('data:image/png;base64,AAAA');
  expect(body.messages[2].tool_calls[0].function).toEqual({ name: 'read', arguments: '{"path":"x"}' });
  expect(body.tools[0].function).toMatchObject({ name: 'read', description: 'Reads.' });
});

test.each([
  [429, 'model_rate_limited', true],
  [401, 'model_not_allowed', false],
  [500, 'model_overloaded', true],
])('%s is %s', async (status, code, isRetryable) => {
  await using upstream = await openScriptedUpstream(
    refuse(status, { error: { message: 'no', type: 'x' } }, { 'retry-after': '3' }),
  );
  await expect(collectAnswer(connect(upstream.url))).rejects.toMatchObject({ code, isRetryable, retryAfterMs: 3_000 });
});

/** A provider that streams these parts. */
function provider(specificationVersion: string, parts: readonly unknown[]): AiSdkModel {
  const stream = new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });
  return { specificationVersion, provider: 'own', modelId: 'm', doStream: async () => ({ stream }) };
}

test('an older interface, a call in one piece, a signature that is given back, an error in the stream', async () => {
  const parts = [
    { type: 'reasoning-delta', id: '0', delta: 'hm' },
    { type: 'reasoning-end', id: '0', providerMetadata: { own: { signature: 'S' } } },
    { type: 'tool-call', toolCallId: 'c', toolName: 'read', input: '{}', providerMetadata: { own: { sign: 'T' } } },
    { type: 'tool-call', toolCallId: 'd', toolName: 'search', input: '{}', providerExecuted: true },
    { type: 'something-new' },
    { type: 'finish', finishReason: 'stop', usage: { inputTokens: 3, outputTokens: 4 } },
  ];
  expect(await collectAnswer(aiSdk(provider('v2', parts)))).toEqual([
    { type: 'thinking', text: 'hm' },
    { type: 'thinking_end', proof: { metadata: { own: { signature: 'S' } } } },
    { type: 'tool_start', id: 'c', tool: 'read' },
    { type: 'tool_delta', id: 'c', delta: '{}' },
    { type: 'tool_call', id: 'c', tool: 'read', args: '{}', proof: { metadata: { own: { sign: 'T' } } } },
    { type: 'end', reason: 'tool_calls', usage: { input: 3, cachedInput: 0, cacheWrite: 0, output: 4 } },
  ]);
  await expect(collectAnswer(aiSdk(provider('v4', parts.slice(0, 2))))).rejects.toMatchObject({ code: 'model_cut' });
  const broken = [{ type: 'error', error: { statusCode: 503, message: 'busy' } }];
  await expect(collectAnswer(aiSdk(provider('v4', broken)))).rejects.toMatchObject({ code: 'model_overloaded' });
  expect(() => aiSdk(provider('v9', []))).toThrow('version v9');
});

test('what a provider says of thinking and calls goes back to it', () => {
  const content = [
    { type: 'thinking', text: 'hm', proof: { metadata: { own: { signature: 'S' } } } },
    { type: 'thinking', text: "another model's" },
    { type: 'tool_call', id: 'c', tool: 'read', args: '{"a":1}', proof: { metadata: { own: { sign: 'T' } } } },
  ] as const;
  expect(encodePrompt('v4', undefined, [{ role: 'assistant', content }])).toEqual([
    {
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'hm', providerOptions: { own: { signature: 'S' } } },
        {
          type: 'tool-call',
          toolCallId: 'c',
          toolName: 'read',
          input: { a: 1 },
          providerOptions: { own: { sign: 'T' } },
        },
      ],
    },
  ]);
});

/** Fails when the SDK's provider is not told of the choice of tools or the form of the answer. */
test('the choice of tools and the form of the answer reach a real provider', async () => {
  await using upstream = await openScriptedUpstream(sse([chunk({ content: '{}' }, 'stop'), '[DONE]']));
  const own = createOpenAICompatible({
    name: 'own',
    baseURL: upstream.url,
    apiKey: 'sk-1',
    supportsStructuredOutputs: true,
  });
  const schema = { type: 'object', properties: { a: { type: 'string' } } };
  const responseFormat = { name: 'city', schema } as const;
  await collectAnswer(aiSdk(own('m')), { ...SAMPLE_REQUEST, toolChoice: { tool: 'read' }, responseFormat });
  const [seen] = upstream.seen;
  expect(seen?.body.tool_choice).toEqual({ type: 'function', function: { name: 'read' } });
  expect(seen?.body.response_format).toMatchObject({ type: 'json_schema', json_schema: { name: 'city', schema } });
});

/** Fails when another provider is told of Anthropic's cache, or Anthropic's is not. */
test('the system prompt and the last message are marked for the cache of Anthropic alone', () => {
  const messages = ['1', '2'].map((text) => ({ role: 'user', content: [{ type: 'text', text }] }) as const);
  const marks = encodePrompt('v4', 'Be kind.', messages, true).map((one) => 'providerOptions' in Object(one));
  expect(marks).toEqual([true, false, true]);
  expect(JSON.stringify(encodePrompt('v4', 'Be kind.', messages))).not.toContain('cacheControl');
});
