import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ask, collectAnswer, joined } from '../testing/collect-answer.ts';
import { openScriptedUpstream, refuse, sse } from '../testing/open-scripted-upstream.ts';
import { SAMPLE_REQUEST } from '../testing/sample-request.ts';
import { chatCompletions } from './chat-completions.ts';

const chunk = (delta: unknown, finish_reason: string | null = null, more: object = {}) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices: [{ index: 0, delta, finish_reason }],
  ...more,
});
const usage = { prompt_tokens: 20, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 8 } };
const counted = { input: 20, cachedInput: 8, cacheWrite: 0, output: 5 };
const none = { input: 0, cachedInput: 0, cacheWrite: 0, output: 0 };

/** What an upstream that sends these events is read as. */
async function read(events: readonly unknown[], cut?: (whole: string) => readonly string[]) {
  await using upstream = await openScriptedUpstream(sse(events, cut));
  const model = chatCompletions({ model: 'm', baseUrl: `${upstream.url}/v1/` });
  return joined(await collectAnswer(model));
}

const TEXT = [
  chunk({ role: 'assistant', content: '' }),
  chunk({ content: 'Grüß ' }),
  chunk({ content: '👋 dich' }),
  chunk({}, 'stop'),
  { id: 'chatcmpl-1', object: 'chat.completion.chunk', choices: [], usage },
  '[DONE]',
];

test('text, and the usage of the chunk without choices', async () => {
  expect(await read(TEXT)).toEqual([
    { type: 'text', text: 'Grüß 👋 dich' },
    { type: 'end', reason: 'stop', usage: counted },
  ]);
});

test('the same wherever packets are cut, also inside a character', async () => {
  await using upstream = await openScriptedUpstream((response, { body }) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const bytes = Buffer.from(
      TEXT.map((one) => `data: ${typeof one === 'string' ? one : JSON.stringify(one)}\n\n`).join(''),
    );
    const at = Number(body.messages[0].content) % bytes.length;
    response.write(bytes.subarray(0, at), () => setImmediate(() => response.end(bytes.subarray(at))));
  });
  const model = chatCompletions({ model: 'm', baseUrl: upstream.url });
  await fc.assert(
    fc.asyncProperty(fc.nat({ max: 2_000 }), async (at) => {
      expect(joined(await collectAnswer(model, ask(String(at))))).toEqual([
        { type: 'text', text: 'Grüß 👋 dich' },
        { type: 'end', reason: 'stop', usage: counted },
      ]);
    }),
    { numRuns: 60 },
  );
  // The connection is used again, answer after answer.
  expect(upstream.connections).toBeLessThan(5);
});

test.each(['reasoning_content', 'reasoning'])('thinking as %s', async (field) => {
  const events = [
    chunk({ role: 'assistant', content: '', [field]: 'Let ', tool_calls: [] }),
    chunk({ content: '', [field]: 'me see' }),
    chunk({ content: 'Yes', [field]: '' }, 'stop', { usage }),
  ];
  expect(await read(events)).toEqual([
    { type: 'thinking', text: 'Let me see' },
    { type: 'thinking_end', proof: { field } },
    { type: 'text', text: 'Yes' },
    { type: 'end', reason: 'stop', usage: counted },
  ]);
});

test('thinking inside the content', async () => {
  const events = [
    chunk({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Let me see' }], closed: true }] }),
    chunk({ content: [{ type: 'text', text: '3' }] }),
    chunk({ content: '91' }, 'stop'),
  ];
  expect(await read(events)).toEqual([
    { type: 'thinking', text: 'Let me see' },
    { type: 'thinking_end' },
    { type: 'text', text: '391' },
    { type: 'end', reason: 'stop', usage: none },
  ]);
});

const piece = (index: number | undefined, id: string | undefined, name: string | undefined, args?: unknown) => ({
  ...(index !== undefined && { index }),
  ...(id !== undefined && { id }),
  type: 'function',
  function: { ...(name !== undefined && { name }), ...(args !== undefined && { arguments: args }) },
});
const BOTH = [
  { type: 'tool_call', id: 'a', tool: 'read', args: '{"path":"x"}' },
  { type: 'tool_call', id: 'b', tool: 'list', args: '{}' },
  { type: 'end', reason: 'tool_calls', usage: none },
];

test.each([
  [
    'in pieces, taking turns',
    [
      [piece(0, 'a', 'read', '')],
      [piece(0, undefined, undefined, '{"pa'), piece(1, 'b', 'list', '')],
      [piece(1, undefined, undefined, '{'), piece(0, undefined, undefined, 'th":"x"}')],
      [piece(1, undefined, undefined, '}')],
    ],
  ],
  ['whole, without numbers', [[piece(undefined, 'a', 'read', '{"path":"x"}'), piece(undefined, 'b', 'list', '{}')]]],
  ['whole, all under number 0', [[piece(0, 'a', 'read', '{"path":"x"}')], [piece(0, 'b', 'list', '{}')]]],
  [
    'with id and name in each piece',
    [
      [piece(0, 'a', 'read', '{"path"')],
      [piece(0, 'a', 'read', ':"x"}')],
      [piece(1, 'b', 'list', '{')],
      [piece(1, 'b', 'list', '}')],
    ],
  ],
  [
    'with another id in each piece',
    [[piece(0, 'a', 'read', '{"path"')], [piece(0, 'z', undefined, ':"x"}')], [piece(1, 'b', 'list', '{}')]],
  ],
  ['with arguments as objects', [[piece(0, 'a', 'read', { path: 'x' })], [piece(1, 'b', 'list', {})]]],
])('calls %s', async (_how, pieces) => {
  const events = [...pieces.map((tool_calls) => chunk({ tool_calls })), chunk({}, 'stop'), '[DONE]'];
  const got = await read(events);
  expect(got.filter(({ type }) => type === 'tool_call' || type === 'end')).toEqual(BOTH);
  expect(got.filter(({ type }) => type === 'tool_start')).toHaveLength(2);
});

test('calls without ids get some', async () => {
  const events = [chunk({ tool_calls: [piece(0, '', 'a', '{}'), piece(1, '', 'b', '{}')] }, 'tool_calls')];
  const calls = (await read(events)).filter((event) => event.type === 'tool_call');
  expect(new Set(calls.map(({ id }) => id)).size).toBe(2);
  expect(calls.every(({ id }) => /^call_[0-9a-f]{24}$/.test(id))).toBe(true);
});

test('what a server wants back of its thinking and its calls comes back where it stood', async () => {
  const extra_content = { google: { thought_signature: 'SIG' } };
  await using upstream = await openScriptedUpstream(
    sse([
      chunk({ reasoning_content: 'hm' }),
      chunk({ tool_calls: [{ ...piece(0, 'a', 'read', '{}'), extra_content }] }, 'tool_calls'),
    ]),
  );
  const model = chatCompletions({ model: 'm', baseUrl: upstream.url });
  const events = await collectAnswer(model);
  const call = events.find((event) => event.type === 'tool_call');
  const thinking = events.find((event) => event.type === 'thinking_end');
  expect(call).toEqual({ type: 'tool_call', id: 'a', tool: 'read', args: '{}', proof: { extra: extra_content } });
  const content = [{ type: 'thinking', text: 'hm', proof: thinking?.proof } as const, call as NonNullable<typeof call>];
  await collectAnswer(model, { ...ask('hi'), messages: [{ role: 'assistant', content }] });
  expect(upstream.seen[1]?.body.messages).toEqual([
    {
      role: 'assistant',
      content: null,
      reasoning_content: 'hm',
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'read', arguments: '{}' }, extra_content }],
    },
  ]);
});

test('an answer that is not streamed although that was asked for', async () => {
  const message = { role: 'assistant', content: 'Hi', tool_calls: [piece(undefined, 'a', 'read', '{"path":"x"}')] };
  await using upstream = await openScriptedUpstream(
    refuse(200, { choices: [{ index: 0, message, finish_reason: 'tool_calls' }], usage }),
  );
  const model = chatCompletions({ model: 'm', baseUrl: upstream.url });
  expect(await collectAnswer(model)).toEqual([
    { type: 'text', text: 'Hi' },
    { type: 'tool_start', id: 'a', tool: 'read' },
    { type: 'tool_delta', id: 'a', delta: '{"path":"x"}' },
    { type: 'tool_call', id: 'a', tool: 'read', args: '{"path":"x"}' },
    { type: 'end', reason: 'tool_calls', usage: counted },
  ]);
});

test.each([
  ['length', 'length'],
  ['content_filter', 'refusal'],
  ['something new', 'stop'],
])('an end for "%s" reads as %s', async (given, reason) => {
  expect((await read([chunk({ content: 'x' }, given)])).at(-1)).toEqual({ type: 'end', reason, usage: none });
});

test('a whole conversation is sent as the reference says', async () => {
  await using upstream = await openScriptedUpstream(sse(TEXT));
  const model = chatCompletions({
    model: 'm',
    baseUrl: `${upstream.url}/v1`,
    apiKey: 'sk-1',
    headers: { 'x-own': 'yes' },
    maxOutputTokens: 99,
    extra: { temperature: 0 },
  });
  await collectAnswer(model, SAMPLE_REQUEST);
  const [seen] = upstream.seen;
  expect(seen?.path).toBe('/v1/chat/completions');
  expect(seen?.headers).toMatchObject({ authorization: 'Bearer sk-1', 'x-own': 'yes' });
  expect(seen?.body).toEqual({
    model: 'm',
    messages: [
      { role: 'system', content: 'Be kind.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'See' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
          { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,BBBB' } },
        ],
      },
      {
        role: 'assistant',
        content: 'I look.',
        tool_calls: [
          { id: 'a', type: 'function', function: { name: 'read', arguments: '{"path":"x"}' } },
          { id: 'b', type: 'function', function: { name: 'read', arguments: '{}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'a', content: '' },
      { role: 'tool', tool_call_id: 'b', content: 'bad arguments' },
      { role: 'user', content: 'Go on' },
    ],
    tools: [
      {
        type: 'function',
        function: { name: 'read', description: 'Reads.', parameters: { type: 'object', properties: {} } },
      },
    ],
    stream: true,
    stream_options: { include_usage: true },
    max_tokens: 99,
    temperature: 0,
  });
});

/** Fails when the form of the answer or the choice of tools stays out of the request. */
test.each([
  ['none', 'none'],
  ['required', 'required'],
  [{ tool: 'read' }, { type: 'function', function: { name: 'read' } }],
] as const)('the choice of tools %j is sent as %j, beside the form of the answer', async (toolChoice, sent) => {
  await using upstream = await openScriptedUpstream(sse(TEXT));
  const model = chatCompletions({ model: 'm', baseUrl: upstream.url });
  const schema = { type: 'object', properties: {} };
  await collectAnswer(model, { ...SAMPLE_REQUEST, toolChoice, responseFormat: { name: 'a', schema, isStrict: true } });
  await collectAnswer(model, { ...ask('hi'), toolChoice, responseFormat: { name: 'a' } });
  const [whole, bare] = upstream.seen.map(({ body }) => body);
  expect(whole.tool_choice).toEqual(sent);
  expect(whole.response_format).toEqual({ type: 'json_schema', json_schema: { name: 'a', schema, strict: true } });
  // Without tools there is no choice, and servers refuse one.
  expect([bare.tool_choice, bare.response_format]).toEqual([undefined, { type: 'json_object' }]);
});
