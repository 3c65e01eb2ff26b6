import { expect, test } from 'vitest';
import { ask, collectAnswer, joined } from '../testing/collect-answer.ts';
import { openScriptedUpstream, refuse, sse } from '../testing/open-scripted-upstream.ts';
import { SAMPLE_REQUEST } from '../testing/sample-request.ts';
import { anthropic } from './anthropic.ts';

const start = {
  type: 'message_start',
  message: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    content: [],
    usage: { input_tokens: 10, cache_creation_input_tokens: 5, cache_read_input_tokens: 85, output_tokens: 1 },
  },
};
const open = (index: number, content_block: object) => ({ type: 'content_block_start', index, content_block });
const delta = (index: number, one: object) => ({ type: 'content_block_delta', index, delta: one });
const close = (index: number) => ({ type: 'content_block_stop', index });
const end = (stop_reason: string, output_tokens = 40) => [
  { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens } },
  { type: 'message_stop' },
];
const usage = { input: 100, cachedInput: 85, cacheWrite: 5, output: 40 };

async function read(events: readonly unknown[]) {
  await using upstream = await openScriptedUpstream(sse(events));
  return joined(await collectAnswer(anthropic({ model: 'c', baseUrl: upstream.url })));
}

test('thinking with its signature, text, calls side by side, one without arguments', async () => {
  const events = [
    start,
    open(0, { type: 'thinking', thinking: '', signature: '' }),
    { type: 'ping' },
    delta(0, { type: 'thinking_delta', thinking: 'Let me ' }),
    delta(0, { type: 'thinking_delta', thinking: 'see' }),
    delta(0, { type: 'signature_delta', signature: 'SIG' }),
    close(0),
    open(1, { type: 'redacted_thinking', data: 'SECRET' }),
    close(1),
    open(2, { type: 'text', text: '' }),
    delta(2, { type: 'text_delta', text: 'I look.' }),
    close(2),
    open(3, { type: 'tool_use', id: 'toolu_1', name: 'read', input: {} }),
    delta(3, { type: 'input_json_delta', partial_json: '{"pa' }),
    open(4, { type: 'tool_use', id: 'toolu_2', name: 'list', input: {} }),
    delta(4, { type: 'input_json_delta', partial_json: '' }),
    delta(3, { type: 'input_json_delta', partial_json: 'th":"x"}' }),
    close(3),
    close(4),
    open(5, { type: 'something_new', data: 1 }),
    delta(5, { type: 'new_delta', text: 'not shown' }),
    close(5),
    { type: 'event_of_tomorrow' },
    ...end('tool_use'),
  ];
  expect(await read(events)).toEqual([
    { type: 'thinking', text: 'Let me see' },
    { type: 'thinking_end', proof: { signature: 'SIG' } },
    { type: 'thinking_end', proof: { redacted: 'SECRET' } },
    { type: 'text', text: 'I look.' },
    { type: 'tool_start', id: 'toolu_1', tool: 'read' },
    { type: 'tool_delta', id: 'toolu_1', delta: '{"pa' },
    { type: 'tool_start', id: 'toolu_2', tool: 'list' },
    { type: 'tool_delta', id: 'toolu_1', delta: 'th":"x"}' },
    { type: 'tool_call', id: 'toolu_1', tool: 'read', args: '{"path":"x"}' },
    { type: 'tool_call', id: 'toolu_2', tool: 'list', args: '' },
    { type: 'end', reason: 'tool_calls', usage },
  ]);
});

test.each([
  ['end_turn', 'stop'],
  ['max_tokens', 'length'],
  ['refusal', 'refusal'],
  ['something new', 'stop'],
])('an end for "%s" reads as %s', async (given, reason) => {
  expect(await read([start, ...end(given)])).toEqual([{ type: 'end', reason, usage }]);
});

test('later counts stand for all of the answer', async () => {
  const late = {
    type: 'message_delta',
    delta: { stop_reason: 'end_turn' },
    usage: { input_tokens: 12, cache_read_input_tokens: 80, output_tokens: 7 },
  };
  expect((await read([start, late, { type: 'message_stop' }])).at(-1)).toEqual({
    type: 'end',
    reason: 'stop',
    usage: { input: 97, cachedInput: 80, cacheWrite: 5, output: 7 },
  });
});

test('an error in the stream, and an answer that is not one', async () => {
  const overloaded = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
  await expect(read([start, overloaded])).rejects.toMatchObject({ code: 'model_overloaded', isRetryable: true });
  const invalid = { type: 'error', error: { type: 'invalid_request_error', message: 'prompt is too long: 9 > 8' } };
  await expect(read([start, invalid])).rejects.toMatchObject({ code: 'model_context_full', isRetryable: false });
  await expect(read([start, 'not json'])).rejects.toMatchObject({ code: 'model_malformed' });
  await expect(read([start])).rejects.toMatchObject({ code: 'model_cut' });
});

test('an answer that is not streamed although that was asked for', async () => {
  const message = {
    type: 'message',
    content: [
      { type: 'thinking', thinking: 'hm', signature: 'SIG' },
      { type: 'text', text: 'Hi' },
      { type: 'tool_use', id: 't', name: 'read', input: { path: 'x' } },
    ],
    stop_reason: 'tool_use',
    usage: { input_tokens: 3, output_tokens: 4 },
  };
  await using upstream = await openScriptedUpstream(refuse(200, message));
  expect(await collectAnswer(anthropic({ model: 'c', baseUrl: upstream.url }))).toEqual([
    { type: 'thinking', text: 'hm' },
    { type: 'thinking_end', proof: { signature: 'SIG' } },
    { type: 'text', text: 'Hi' },
    { type: 'tool_start', id: 't', tool: 'read' },
    { type: 'tool_delta', id: 't', delta: '{"path":"x"}' },
    { type: 'tool_call', id: 't', tool: 'read', args: '{"path":"x"}' },
    { type: 'end', reason: 'tool_calls', usage: { input: 3, cachedInput: 0, cacheWrite: 0, output: 4 } },
  ]);
});

test('a whole conversation is sent as the reference says', async () => {
  await using upstream = await openScriptedUpstream(sse([start, ...end('end_turn')]));
  const model = anthropic({ model: 'c', baseUrl: `${upstream.url}/v1`, apiKey: 'sk-ant', thinkingTokens: 2_000 });
  await collectAnswer(model, SAMPLE_REQUEST);
  const [seen] = upstream.seen;
  const cache_control = { type: 'ephemeral' };
  expect(seen?.path).toBe('/v1/messages');
  expect(seen?.headers).toMatchObject({ 'x-api-key': 'sk-ant', 'anthropic-version': '2023-06-01' });
  expect(seen?.body).toEqual({
    model: 'c',
    max_tokens: 16_000,
    stream: true,
    system: [{ type: 'text', text: 'Be kind.', cache_control }],
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'See' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
          {
            type: 'document',
            title: 'a.pdf',
            source: { type: 'base64', media_type: 'application/pdf', data: 'BBBB' },
            cache_control,
          },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'hm', signature: 'SIG' },
          { type: 'text', text: 'I look.' },
          { type: 'tool_use', id: 'a', name: 'read', input: { path: 'x' } },
          { type: 'tool_use', id: 'b', name: 'read', input: {} },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'a', content: '(empty)' },
          { type: 'tool_result', tool_use_id: 'b', content: 'bad arguments', is_error: true },
          { type: 'text', text: 'Go on', cache_control },
        ],
      },
    ],
    tools: [{ name: 'read', description: 'Reads.', input_schema: { type: 'object', properties: {} } }],
    thinking: { type: 'enabled', budget_tokens: 2_000 },
  });
});

test('tools that are not offered any more are named when they were called; an empty message says so', async () => {
  await using upstream = await openScriptedUpstream(sse([start, ...end('end_turn')]));
  const messages = [
    { role: 'user', content: [{ type: 'text', text: 'Go' }] },
    { role: 'assistant', content: [{ type: 'tool_call', id: 'a', tool: 'read', args: '' }] },
    { role: 'tool', callId: 'a', tool: 'read', text: 'x', isError: false },
    {
      role: 'assistant',
      content: [
        { type: 'text', text: ' \n' },
        { type: 'text', text: 'Read.' },
      ],
    },
    { role: 'user', content: [{ type: 'text', text: '' }] },
  ] as const;
  await collectAnswer(anthropic({ model: 'c', baseUrl: upstream.url }), { ...ask(''), messages });
  const { body } = upstream.seen[0] ?? {};
  expect(body.tools).toEqual([{ name: 'read', description: 'Not offered now.', input_schema: { type: 'object' } }]);
  expect(body.tool_choice).toEqual({ type: 'none' });
  expect(body.messages.at(-2).content).toEqual([{ type: 'text', text: 'Read.' }]);
  expect(body.messages.at(-1).content).toMatchObject([{ type: 'text', text: '(no text)' }]);
});

test.each([
  [1_000, undefined],
  [5_000, 4_000],
])('%s tokens of thinking in %s are refused', (thinkingTokens, max) => {
  const options = { model: 'c', thinkingTokens, ...(max && { maxOutputTokens: max }) };
  expect(() => anthropic(options)).toThrow('thinkingTokens must be at least 1024');
});

/** Fails when the marks are only on the newest message, which a later turn can't find across a long turn's steps. */
test('the cache is marked at the system prompt, the last message, and the last two of the person', async () => {
  await using upstream = await openScriptedUpstream(sse([start, ...end('end_turn')]));
  const user = (text: string) => ({ role: 'user', content: [{ type: 'text', text }] }) as const;
  const answer = { role: 'assistant', content: [{ type: 'tool_call', id: 'a', tool: 'read', args: '' }] } as const;
  const result = { role: 'tool', callId: 'a', tool: 'read', text: 'x', isError: false } as const;
  const said = { role: 'assistant', content: [{ type: 'text', text: 'Read.' }] } as const;
  const messages = [user('1'), answer, result, said, user('2'), said, user('3'), answer, result];
  const request = { ...SAMPLE_REQUEST, messages };
  await collectAnswer(anthropic({ model: 'c', baseUrl: upstream.url, cache: '1h' }), request);
  await collectAnswer(anthropic({ model: 'c', baseUrl: upstream.url, cache: false }), request);
  const [hour, none] = upstream.seen.map(({ body }) => body);
  const marked = hour.messages.map(({ content }: { content: { cache_control?: unknown }[] }) => content.at(-1));
  expect(marked.map((block: { cache_control?: unknown }) => block.cache_control !== undefined)).toEqual([
    ...[false, false, false, false, true, false, true, false, true],
  ]);
  expect(marked.at(-1).cache_control).toEqual({ type: 'ephemeral', ttl: '1h' });
  expect(JSON.stringify(none)).not.toContain('cache_control');
});

test.each([
  ['auto', undefined, undefined],
  ['none', undefined, { type: 'none' }],
  ['required', undefined, { type: 'any' }],
  [{ tool: 'read' }, undefined, { type: 'tool', name: 'read' }],
  // The API refuses to make a model that thinks call a tool.
  [{ tool: 'read' }, 2_000, undefined],
  ['none', 2_000, { type: 'none' }],
] as const)('the choice of tools %j, thinking %s, is sent as %j', async (toolChoice, thinkingTokens, sent) => {
  await using upstream = await openScriptedUpstream(sse([start, ...end('end_turn')]));
  const model = anthropic({ model: 'c', baseUrl: upstream.url, ...(thinkingTokens && { thinkingTokens }) });
  await collectAnswer(model, { ...SAMPLE_REQUEST, toolChoice });
  expect(upstream.seen[0]?.body.tool_choice).toEqual(sent);
});
