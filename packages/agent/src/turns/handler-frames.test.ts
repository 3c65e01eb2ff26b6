import type { HandlerItem } from '@berth/agent-core';
import type { Frame } from '@berth/contract/agent';
import { createSilentLogger, type Logger } from '@berth/kit';
import { createFakeClock } from '@berth/testkit';
import { expect, test } from 'vitest';
import { emitHandlerFrames, type HandlerOutput, STOP_GRACE_MS } from './handler-frames.ts';

interface Reading {
  readonly frames: Frame[];
  /** What the handler returned, or `{ error }`. */
  readonly end: Promise<unknown>;
}

function read(output: HandlerOutput, options: { signal?: AbortSignal; limitBytes?: number; log?: Logger } = {}) {
  const clock = createFakeClock();
  const frames: Frame[] = [];
  const end = emitHandlerFrames({
    output,
    clock,
    log: createSilentLogger(),
    signal: new AbortController().signal,
    emit: (frame) => void frames.push(frame),
    ...options,
  }).catch((error: unknown) => ({ error }));
  return { clock, frames, end } satisfies Reading & { clock: unknown };
}

async function* items(...list: unknown[]): AsyncGenerator<HandlerItem, unknown> {
  yield* list as HandlerItem[];
  return { internal: [] };
}

test('text and components become frames; what is empty is dropped; the return value is handed on', async () => {
  // Holds the agent to the contract: verifies('frame.empty')
  const { frames, end } = read(
    items('a', '', undefined, null, { type: 'text', text: '' }, { type: 'thinking', thinking: '' }, 'b'),
  );
  expect(await end).toEqual({ internal: [] });
  expect(frames).toEqual([
    { type: 'text', text: 'a' },
    { type: 'text', text: 'b' },
  ]);
});

test.each<[string, HandlerOutput, string[]]>([
  ['an array', ['a', 'b'], ['a', 'b']],
  ['text alone', 'whole', ['whole']],
  ['a promise of text', Promise.resolve('whole'), ['whole']],
  ['a promise of a generator', Promise.resolve(items('a')), ['a']],
  ['nothing', undefined, []],
])('%s will do as output', async (_title, output, texts) => {
  const { frames, end } = read(output);
  await end;
  expect(frames).toEqual(texts.map((text) => ({ type: 'text', text })));
});

test('unknown fields of a component are left out, fields of ui are kept, a long result is cut', async () => {
  const { frames, end } = read(
    items(
      { type: 'callout', callout: 'x', secret: 1 },
      { type: 'ui', action: 'open_canvas', items: ['a'] },
      { type: 'step', id: 's', result: 'y'.repeat(4_000) },
    ),
  );
  await end;
  expect(frames).toEqual([
    { type: 'callout', callout: 'x', style: 'info' },
    { type: 'ui', action: 'open_canvas', items: ['a'] },
    { type: 'step', id: 's', result: 'y'.repeat(3_000) },
  ]);
});

test('unknown components and actions are passed on with one log line for each kind, and the turn goes on', async () => {
  // Holds the agent to the contract: verifies('frame.unknown'). Fails when an unknown type or action ends the turn, or when
  // each frame of it is logged.
  const lines: string[] = [];
  const log: Logger = { ...createSilentLogger(), warn: (_fields, message) => void lines.push(message) };
  const chart = { type: 'chart', points: [1, 2], nested: { a: null } };
  const eye = { type: 'ui', action: 'open_eye', wide: true };
  const { frames, end } = read(items('before', chart, chart, eye, eye, 'after'), { log });
  await end;
  expect(frames).toEqual([{ type: 'text', text: 'before' }, chart, chart, eye, eye, { type: 'text', text: 'after' }]);
  expect(lines).toEqual([expect.stringContaining('"chart"'), expect.stringContaining('"open_eye"')]);
});

test('a handler has no part in frames that the server alone sends', async () => {
  // Fails when a handler can name another chat, or record a decision.
  const forged = { type: 'decision', key: 'k', decision: 'approve', by: 'me', at: '' };
  const { frames, end } = read(items({ type: 'chat_id', chat_id: 'x' }, { type: 'ping' }, forged, 'after'));
  await end;
  expect(frames).toEqual([{ type: 'text', text: 'after' }]);
});

test('the arguments of a step are JSON text, whatever the handler gave', async () => {
  // Holds the agent to the contract: verifies('step.args'). Fails when the value is sent as the handler gave it.
  const { frames, end } = read(
    items(
      ...[{ a: 1 }, '{"a":1}', 'plain', [1], 7, null].map((args, index) => ({ type: 'step', id: `s${index}`, args })),
    ),
  );
  await end;
  expect(frames.map((frame) => (frame as { args?: unknown }).args)).toEqual([
    '{"a":1}',
    '{"a":1}',
    '"plain"',
    '[1]',
    '7',
    'null',
  ]);
});

const circular: Record<string, unknown> = {};
circular['self'] = circular;

test.each<[string, unknown, RegExp]>([
  ['a number', 7, /yielded number instead of text or a component/],
  ['an object without a type', {}, /yielded object instead/],
  ['a ui frame without an action', { type: 'ui' }, /of type ui: action/],
  ['a field of another type', { type: 'code', code: 1 }, /code/],
  ['a table frame of both kinds', { type: 'table', headers: [], row: [] }, /headers or a row/],
  ['a circle', { type: 'tool_call', id: 'a', tool: 't', args: circular }, /circular/i],
])('%s fails the turn and names itself', async (_title, item, message) => {
  const { frames, end } = read(items('before', item, 'after'));
  expect(await end).toEqual({ error: expect.objectContaining({ message: expect.stringMatching(message) }) });
  expect(frames).toEqual([{ type: 'text', text: 'before' }]);
});

test('a handler that throws is thrown on after what it said', async () => {
  const { frames, end } = read(
    (async function* () {
      yield 'said';
      throw new Error('broken');
    })(),
  );
  expect(await end).toEqual({ error: expect.objectContaining({ message: 'broken' }) });
  expect(frames).toHaveLength(1);
});

test('a handler that ignores its signal is left behind after the grace', async () => {
  const stop = new AbortController();
  const { clock, frames, end } = read(
    (async function* () {
      yield 'said';
      await new Promise(() => {});
    })(),
    { signal: stop.signal },
  );
  await clock.elapse(10);
  stop.abort();
  let isOver = false;
  void end.then(() => {
    isOver = true;
  });
  await clock.elapse(STOP_GRACE_MS - 1);
  expect(isOver).toBe(false);
  await clock.elapse(1);
  expect(await end).toBeUndefined();
  expect(frames).toHaveLength(1);
});

test('a handler may say how its tools ended after its signal, and what the signal throws is no failure', async () => {
  const stop = new AbortController();
  const { clock, frames, end } = read(
    (async function* () {
      try {
        await new Promise((_resolve, reject) => {
          stop.signal.addEventListener('abort', () => reject(stop.signal.reason));
        });
      } finally {
        yield { type: 'step' as const, id: 's', ok: false };
      }
    })(),
    { signal: stop.signal },
  );
  await clock.elapse(1);
  stop.abort();
  expect(await end).toBeUndefined();
  expect(frames).toEqual([{ type: 'step', id: 's', ok: false }]);
});

test('a handler that never waits leaves time to others and can be stopped', async () => {
  const stop = new AbortController();
  function* endless() {
    for (;;) yield 'x';
  }
  const { clock, end } = read(endless(), { signal: stop.signal });
  // Runs at all only because the handler gives way.
  await new Promise((resolve) => setImmediate(resolve));
  stop.abort();
  clock.advance(STOP_GRACE_MS);
  expect(await end).toBeUndefined();
});

test('a handler that yields a gigabyte fails at the limit, its memory not held', async () => {
  const piece = 'y'.repeat(1_000_000);
  let yielded = 0;
  function* gigabyte() {
    for (let i = 0; i < 1_000; i++) {
      yielded++;
      yield piece;
    }
  }
  const { frames, end } = read(gigabyte(), { limitBytes: 3_500_000 });
  expect(await end).toEqual({ error: expect.any(RangeError) });
  expect(yielded).toBe(4);
  // Long text is cut into frames that a reader can take one by one.
  expect(frames.map((frame) => (frame.type === 'text' ? frame.text : '')).join('')).toBe(piece.repeat(3));
  expect(frames.length).toBeGreaterThan(30);
});

test('a character of two units is not cut in two', async () => {
  const text = `${'y'.repeat(65_535)}😀${'z'.repeat(10)}`;
  const { frames, end } = read([text]);
  await end;
  const texts = frames.map((frame) => (frame.type === 'text' ? frame.text : ''));
  expect(texts.join('')).toBe(text);
  expect(texts.every((piece) => piece.isWellFormed())).toBe(true);
});

// Fails when a handler that is given up is left as it is.
test('a handler that goes on after its signal is left, so that it can clean up', async () => {
  let isCleaned = false;
  async function* handler() {
    try {
      for (;;) yield 'x';
    } finally {
      isCleaned = true;
    }
  }
  const { clock, end } = read(handler(), { signal: AbortSignal.abort() });
  await clock.elapse(STOP_GRACE_MS);
  expect(await end).toBeUndefined();
  await new Promise((resolve) => setImmediate(resolve));
  expect(isCleaned).toBe(true);
});

// Fails when a handler goes on although its frame was not taken yet, as with a client that reads slowly.
test('a handler waits until its frame was taken', async () => {
  const taken = Promise.withResolvers<void>();
  let count = 0;
  function* handler() {
    for (; count < 3; count++) yield 'x';
  }
  const end = emitHandlerFrames({
    output: handler(),
    clock: createFakeClock(),
    log: createSilentLogger(),
    signal: new AbortController().signal,
    emit: () => taken.promise,
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(count).toBe(0);
  taken.resolve();
  await end;
  expect(count).toBe(3);
});
