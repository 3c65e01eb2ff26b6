import { createServer } from 'node:net';
import { createFakeClock, waitUntil } from '@berth/testkit';
import { expect, test } from 'vitest';
import { anthropic } from '../anthropic/anthropic.ts';
import { chatCompletions } from '../chat-completions/chat-completions.ts';
import type { Model, ModelEvent } from '../model.ts';
import type { ModelError } from '../model-error.ts';
import { ask, collectAnswer } from '../testing/collect-answer.ts';
import { openScriptedUpstream, refuse, sse, type UpstreamAnswer } from '../testing/open-scripted-upstream.ts';
import { withRetry } from '../with-retry.ts';

const HELLO = [{ choices: [{ index: 0, delta: { content: 'Hello' }, finish_reason: 'stop' }] }, '[DONE]'];
const hello = sse(HELLO);

async function failure(answer: UpstreamAnswer, options: object = {}): Promise<ModelError> {
  await using upstream = await openScriptedUpstream(answer);
  const model = chatCompletions({ model: 'm', baseUrl: upstream.url, apiKey: 'sk-secret', ...options });
  return await collectAnswer(model).then(
    () => {
      throw new Error('it answered');
    },
    (error) => error,
  );
}

test.each([
  [400, { error: { message: 'bad', type: 'invalid_request_error', code: null } }, 'model_refused', false],
  [
    400,
    { error: { message: 'maximum context length is 8192 tokens', code: 'context_length_exceeded' } },
    'model_context_full',
    false,
  ],
  [401, { error: { message: 'Incorrect API key provided: sk-secret.' } }, 'model_not_allowed', false],
  [403, 'nope', 'model_not_allowed', false],
  [404, { detail: 'no such model' }, 'model_refused', false],
  [408, {}, 'model_overloaded', true],
  [429, { error: { message: 'slow down', type: 'requests' } }, 'model_rate_limited', true],
  [
    429,
    { error: { message: 'You exceeded your current quota', code: 'insufficient_quota' } },
    'model_not_allowed',
    false,
  ],
  [500, '<html><b>Internal</b> error</html>', 'model_overloaded', true],
  [503, '', 'model_overloaded', true],
  [529, { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }, 'model_overloaded', true],
  [302, '', 'model_refused', false],
])('%s %j is %s', async (status, body, code, isRetryable) => {
  const error = await failure(refuse(status, body));
  expect(error).toMatchObject({ code, isRetryable, status: 502 });
  expect(error.message).toContain(`answered ${status}`);
  expect(error.message).not.toContain('sk-secret');
  expect(error.message).not.toContain('<');
});

test('an error of the size of a book is read in part', async () => {
  const error = await failure(refuse(500, 'x'.repeat(10_000_000)));
  expect(error.message.length).toBeLessThan(1_000);
});

test.each([
  ['no event stream', refuse(200, 'hi', { 'content-type': 'text/html' }), 'model_malformed'],
  ['no JSON', sse(['nonsense']), 'model_malformed'],
  ['a JSON list', sse([[1, 2]]), 'model_malformed'],
  ['an error in the stream', sse([{ error: { message: 'boom', type: 'server_error' } }]), 'model_overloaded'],
  ['an error with a number', sse([{ error: { message: 'boom', code: 429 } }]), 'model_rate_limited'],
  ['an end without a reason', sse([{ choices: [{ index: 0, delta: { content: 'Hel' } }] }]), 'model_cut'],
  ['nothing at all', sse([]), 'model_cut'],
  [
    'half an event',
    (response: Parameters<UpstreamAnswer>[0]) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: {"choices":[', () => response.destroy());
    },
    'model_cut',
  ],
  ['a closed connection', (response: Parameters<UpstreamAnswer>[0]) => response.destroy(), 'model_unreachable'],
] as const)('%s is said', async (_what, answer, code) => {
  expect(await failure(answer)).toMatchObject({ code });
});

test('nobody there', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  const model = chatCompletions({ model: 'm', baseUrl: `http://127.0.0.1:${port}` });
  await expect(collectAnswer(model)).rejects.toMatchObject({ code: 'model_unreachable' });
});

test('an event without end is refused before it fills the memory', async () => {
  const error = await failure((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('data: ');
    const more = () => {
      while (!response.destroyed && response.write('x'.repeat(1_048_576)));
      response.once('drain', more);
    };
    more();
  });
  expect(error).toMatchObject({ code: 'model_malformed' });
});

test.each([
  ['never answers', () => {}],
  [
    'falls silent',
    (response: Parameters<UpstreamAnswer>[0]) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: {"choices":[{"index":0,"delta":{"content":"Hel"}}]}\n\n');
    },
  ],
] as const)('one that %s is left after the time for it, and comments count as a word', async (_what, answer) => {
  const clock = createFakeClock();
  await using upstream = await openScriptedUpstream(answer);
  const model = chatCompletions({ model: 'm', baseUrl: upstream.url, silenceMs: 60_000, clock });
  const asked = collectAnswer(model);
  asked.catch(() => {});
  await waitUntil('it was asked', () => upstream.seen.length === 1);
  let isOver = false;
  asked
    .catch(() => {})
    .finally(() => {
      isOver = true;
    });
  await waitUntil('it was left', () => {
    clock.advance(30_000);
    return isOver;
  });
  await expect(asked).rejects.toMatchObject({ code: 'model_silent', isRetryable: true });
  await waitUntil('the connection is closed', () => upstream.aborted === 1);
});

test.each([
  ['chatCompletions', (baseUrl: string): Model => chatCompletions({ model: 'm', baseUrl })],
  ['anthropic', (baseUrl: string): Model => anthropic({ model: 'm', baseUrl })],
])('%s: stopped in the middle, the connection closes and the reason is thrown', async (_name, create) => {
  await using upstream = await openScriptedUpstream((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(
      ': alive\n\ndata: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":"Hel"},',
    );
    response.write('"choices":[{"index":0,"delta":{"content":"Hel"}}]}\n\n');
  });
  const controller = new AbortController();
  const seen: ModelEvent[] = [];
  const asked = (async () => {
    for await (const event of create(upstream.url).stream({ ...ask('hi'), signal: controller.signal })) {
      seen.push(event);
      controller.abort(new Error('stopped'));
    }
  })();
  await expect(asked).rejects.toThrow('stopped');
  expect(seen).toEqual([{ type: 'text', text: 'Hel' }]);
  await waitUntil('the connection is closed', () => upstream.aborted === 1);
});

test('a reader that leaves closes the connection', async () => {
  await using upstream = await openScriptedUpstream((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('data: {"choices":[{"index":0,"delta":{"content":"Hel"}}]}\n\n');
  });
  const clock = createFakeClock();
  for await (const _ of chatCompletions({ model: 'm', baseUrl: upstream.url, clock }).stream(ask('hi'))) break;
  clock.advance(1_000);
  await waitUntil('the connection is closed', () => upstream.aborted === 1);
});

test('a kept connection that the server closed meanwhile is no failure', async () => {
  await using upstream = await openScriptedUpstream(hello, (response) => {
    // The first use of a kept connection after this one was closed under it.
    hello(response, upstream.seen[0] as never);
    response.on('finish', () => setImmediate(() => response.socket?.destroy()));
  });
  const model = chatCompletions({ model: 'm', baseUrl: upstream.url });
  for (let count = 0; count < 10; count++) expect(await collectAnswer(model)).toHaveLength(2);
});

test('what passes is asked again, after the wait that was asked for', async () => {
  const clock = createFakeClock();
  await using upstream = await openScriptedUpstream(
    refuse(429, {}, { 'retry-after': '7' }),
    refuse(503, {}, { 'retry-after': new Date(clock.nowMs() + 10_000).toUTCString() }),
    refuse(500, {}, { 'retry-after-ms': '1500' }),
    hello,
  );
  const waits: number[] = [];
  const base = chatCompletions({ model: 'm', baseUrl: upstream.url, clock });
  const model = withRetry(base, { clock, onRetry: (_error, waitMs) => waits.push(waitMs) });
  const asked = collectAnswer(model);
  await waitUntil('the first wait began', () => waits.length === 1);
  clock.advance(6_999);
  expect(upstream.seen).toHaveLength(1);
  clock.advance(1);
  await waitUntil('the second wait began', () => waits.length === 2);
  clock.advance(3_000);
  await waitUntil('the third wait began', () => waits.length === 3);
  clock.advance(1_500);
  expect(await asked).toHaveLength(2);
  expect(waits).toEqual([7_000, 3_000, 1_500]);
});

test.each([
  ['a refusal', [refuse(400, {})], 1],
  ['a wait of a minute', [refuse(429, {}, { 'retry-after': '60' })], 1],
  ['something that was begun', [sse([{ choices: [{ index: 0, delta: { content: 'Hel' } }] }])], 1],
  ['what never passes', [refuse(500, {})], 3],
] as const)('%s is asked %#. not again without end', async (_what, answers, times) => {
  await using upstream = await openScriptedUpstream(...answers);
  const clock = { ...createFakeClock(), sleep: async () => {} };
  const model = withRetry(chatCompletions({ model: 'm', baseUrl: upstream.url }), { clock, maxTries: 3 });
  await expect(collectAnswer(model)).rejects.toMatchObject({ status: 502 });
  expect(upstream.seen).toHaveLength(times);
});

test('a stop ends the wait', async () => {
  await using upstream = await openScriptedUpstream(refuse(500, {}));
  const controller = new AbortController();
  const clock = createFakeClock();
  const model = withRetry(chatCompletions({ model: 'm', baseUrl: upstream.url }), {
    clock,
    onRetry: () => controller.abort(new Error('stopped')),
  });
  await expect(collectAnswer(model, { ...ask('hi'), signal: controller.signal })).rejects.toThrow('stopped');
});

const late = refuse(500, {}, { 'retry-after': '25' });

// Fails when the limit counts for each try, or only until the head of a response.
test.each<readonly [string, readonly UpstreamAnswer[]]>([
  ['nothing at all', [() => {}]],
  ['a head', [(response) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()]],
  ['errors to retry', [late]],
  ['two errors, then nothing', [late, late, () => {}]],
])('a model that sends %s fails within 60 s, all tries included', async (_what, answers) => {
  const clock = createFakeClock();
  await using upstream = await openScriptedUpstream(...answers);
  const model = withRetry(chatCompletions({ model: 'm', baseUrl: upstream.url, clock }), { clock, random: () => 0 });
  const startMs = clock.monotonicMs();
  let endedAtMs = Number.NaN;
  const asked = collectAnswer(model).finally(() => {
    endedAtMs = clock.monotonicMs();
  });
  asked.catch(() => {});
  await waitUntil('it was asked', () => upstream.seen.length === 1);
  await waitUntil('it failed', async () => {
    if (clock.pending > 0) await clock.elapse(1_000);
    return !Number.isNaN(endedAtMs);
  });
  await expect(asked).rejects.toMatchObject({ status: 502 });
  expect(endedAtMs - startMs).toBeLessThanOrEqual(60_000);
});

// Fails when only events count: a model that thinks sends comments and roles before its first word.
test('a model that sends a comment in time may think for longer', async () => {
  const clock = createFakeClock();
  const end = Promise.withResolvers<void>();
  await using upstream = await openScriptedUpstream(async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(': thinking\n\n');
    await end.promise;
    response.end(
      HELLO.map((event) => `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`).join(''),
    );
  });
  let hasBegun = false;
  const base = chatCompletions({ model: 'm', baseUrl: upstream.url, clock });
  const watched: Model = {
    name: 'm',
    stream: (request) =>
      base.stream({
        ...request,
        onFirstByte() {
          request.onFirstByte?.();
          hasBegun = true;
        },
      }),
  };
  const asked = collectAnswer(withRetry(watched, { clock, firstByteMs: 5_000 }));
  await waitUntil('the comment came', () => hasBegun);
  clock.advance(60_000);
  end.resolve();
  expect(await asked).toHaveLength(2);
});

// Fails when the wait is for the model's own end: an adapter may ignore its signal.
test('a model that ignores its signal is left as well', async () => {
  const clock = createFakeClock();
  const model: Model = {
    name: 'deaf',
    stream: () => ({ [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) }),
  };
  const asked = collectAnswer(withRetry(model, { clock, firstByteMs: 7_000 }));
  asked.catch(() => {});
  await clock.elapse(7_000);
  await expect(asked).rejects.toThrow('deaf sent nothing for 7 s. For a model that thinks for longer');
});
