import type { Frame, Part } from '@berth/contract/agent';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../api/api.ts';
import { createFakeAgent, createStream } from '../../../testing/fake-agent.ts';
import { followTurn } from './follow-turn.ts';

const text = (value: string): Frame => ({ type: 'text', text: value });
const STREAM = 'GET /chats/c1/stream';

/** Follows the turn of chat c1, whose streams the test writes. */
function open() {
  const api = createFakeAgent();
  const leave = new AbortController();
  const grown: (readonly Part[])[] = [];
  const events: string[] = [];
  const waits: number[] = [];
  const start = (response?: Response) =>
    followTurn(
      { api, chatId: 'c1', response, signal: leave.signal, wait: async (ms) => void waits.push(ms) },
      {
        onGrown: (parts) => void grown.push(parts()),
        onStartOver: () => void events.push('again'),
        onUi: ({ action }) => void events.push(`ui ${action}`),
        onLost: (isLost) => void events.push(isLost ? 'lost' : 'back'),
      },
    );
  const calls = () => api.calls.map(({ call }) => call.slice(STREAM.length));
  return { api, calls, events, grown, leave, start, waits };
}

/** A stream that breaks once it has been read so far. */
function cutAfter(stream: ReturnType<typeof createStream>, ...frames: readonly Frame[]) {
  stream.send(...frames);
  setImmediate(stream.cut);
  return stream.response;
}

function whole(stream: ReturnType<typeof createStream>, ...frames: readonly Frame[]) {
  stream.send(...frames);
  stream.end();
  return stream.response;
}

describe('a connection that breaks', () => {
  // Fails when only frames of the answer move the cursor: a card would come twice.
  it('resumes after the last frame of any type', async () => {
    const { api, calls, events, start } = open();
    const first = cutAfter(createStream(), text('a'), { type: 'ui', action: 'suggest' }, { type: 'ping' });
    api.on(`${STREAM}?after=r1:3`, whole(createStream('r1', 4), text('b')));
    expect(await start(first)).toBe('done');
    expect(calls()).toEqual(['?after=r1:3']);
    expect(events).toEqual(['ui suggest', 'lost', 'back']);
  });

  // Fails when a frame doesn't end the count: a long answer over a bad connection would be given up.
  it('starts counting tries again after each frame', async () => {
    const { api, calls, start, waits } = open();
    const offline = Array.from({ length: 8 }, () => new TypeError('offline'));
    api.on(STREAM, ...offline, cutAfter(createStream(), text('a')));
    api.on(`${STREAM}?after=r1:1`, ...offline, whole(createStream('r1', 2), text('b')));
    expect(await start()).toBe('done');
    expect(calls()).toHaveLength(18);
    expect(waits.slice(0, 10)).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 250, 500]);
  });

  it.each([429, 500, 502, 503])('is retried on %i', async (status) => {
    const { api, start } = open();
    api.on(STREAM, new ApiError(status, 'not now'), whole(createStream(), text('a')));
    expect(await start()).toBe('done');
  });

  it.each([400, 401, 403])('is not retried on %i', async (status) => {
    const { api, calls, start } = open();
    api.on(STREAM, new ApiError(status, 'no'));
    await expect(start()).rejects.toMatchObject({ status });
    expect(calls()).toHaveLength(1);
  });

  it('includes a stream that ends without its last line', async () => {
    const { api, events, start } = open();
    api.on(STREAM, new Response('id: r1:1\ndata: {"type":"text","text":"a"}\n\n'));
    api.on(`${STREAM}?after=r1:1`, whole(createStream('r1', 2), text('b')));
    expect(await start()).toBe('done');
    expect(events).toEqual(['lost', 'back']);
  });
});

it('does not reconnect after the turn is left', async () => {
  const { calls, leave, start } = open();
  const stream = createStream();
  const turn = start(stream.response);
  leave.abort(new Error('left'));
  stream.cut();
  await expect(turn).rejects.toThrow('left');
  expect(calls()).toEqual([]);
});

// Fails when the builder's own lists are given away: a rendered table would change behind React's back.
it('gives parts that never change afterwards', async () => {
  const { grown, start } = open();
  const kept: string[] = [];
  const { push } = grown;
  grown.push = (...added) => {
    kept.push(...added.map((parts) => JSON.stringify(parts)));
    return push.apply(grown, added);
  };
  const table: readonly Frame[] = [
    { type: 'table', headers: ['a'] },
    { type: 'table', row: ['1'] },
    { type: 'table', row: ['2'] },
  ];
  await start(whole(createStream(), text('x'), ...table, text('y')));
  expect(grown.map((parts) => JSON.stringify(parts))).toEqual(kept);
  expect(kept.at(-1)).toContain('[["1"],["2"]]');
});
