import type { Frame } from '@berth/contract/agent';
import { expect, test } from 'vitest';
import { ApiError } from '../../../api/api.ts';
import { createFakeAgent, createStream } from '../../../testing/fake-agent.ts';
import { followTurn } from './follow-turn.ts';

const text = (delta: string): Frame => ({ type: 'text', text: delta });

/** Follows the turn of chat c1 with the responses of `answer`; returns its outcome and what the listener received. */
async function follow(answer: (api: ReturnType<typeof createFakeAgent>) => Response | undefined) {
  const api = createFakeAgent();
  const response = answer(api);
  const seen: string[] = [];
  const lost: boolean[] = [];
  const waits: number[] = [];
  const end = await followTurn(
    { api, chatId: 'c1', response, signal: new AbortController().signal, wait: async (ms) => void waits.push(ms) },
    {
      onGrown: (parts) =>
        void seen.push(
          parts()
            .map((part) => (part.type === 'text' ? part.text : part.type))
            .join('|'),
        ),
      onUi: () => {},
      onStartOver: () => void seen.push('(again)'),
      onLost: (isLost) => void lost.push(isLost),
    },
  ).catch((error: unknown) => error);
  return { end, answer: seen.at(-1), seen, lost, waits, calls: api.calls.map(({ call }) => call) };
}

// Fails when the cursor isn't sent: the frames before the cut would come twice.
test('goes on after the last frame when the connection breaks', async () => {
  const outcome = await follow((api) => {
    const first = createStream();
    first.send(text('Hello'));
    const second = createStream('r1', 2);
    second.send(text(' world'));
    second.end();
    api.on('GET /chats/c1/stream?after=r1:1', second.response);
    // The connection breaks after the frame was read.
    setTimeout(first.cut);
    return first.response;
  });
  expect(outcome).toMatchObject({ end: 'done', answer: 'Hello world', lost: [true, false], waits: [250] });
});

test('begins the answer anew where another run took over', async () => {
  const { end, answer } = await follow((api) => {
    const old = createStream('r1');
    old.send(text('half of an ans'));
    const next = createStream('r2');
    next.send(text('The whole answer'));
    next.end();
    api.on('GET /chats/c1/stream?after=r1:1', next.response);
    setTimeout(old.cut);
    return old.response;
  });
  expect([end, answer]).toEqual(['done', 'The whole answer']);
});

// Fails when the number of a frame isn't looked at: what only the process that ended had said would stay, or all would come twice.
test.each([
  ['goes on where a process took the turn over', createStream('r1~2', 2), ['Half', 'Half and the rest']],
  ['drops what only the process that ended had', createStream('r1~2', 1), ['Half', '(again)', ' and the rest']],
])('%s', async (_what, next, seen) => {
  const outcome = await follow((api) => {
    const first = createStream('r1');
    first.send(text('Half'));
    next.send(text(' and the rest'));
    next.end();
    api.on('GET /chats/c1/stream?after=r1:1', next.response);
    setTimeout(first.cut);
    return first.response;
  });
  expect(outcome).toMatchObject({ end: 'done', seen });
});

test('ends where the frames are no longer kept', async () => {
  expect(await follow((api) => void api.on('GET /chats/c1/stream', new Response(null, { status: 204 })))).toMatchObject(
    {
      end: 'gone',
    },
  );
  expect(await follow(() => undefined)).toMatchObject({ end: 'gone', calls: ['GET /chats/c1/stream'] });
});

test('gives up after nine tries, and at once where the agent says no', async () => {
  const { end, waits, calls } = await follow(
    (api) => void api.on('GET /chats/c1/stream', ...Array.from({ length: 10 }, () => new TypeError('network error'))),
  );
  expect(end).toBe('lost');
  expect(calls).toHaveLength(10);
  expect(waits).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000]);
  const refused = new ApiError(403, 'no');
  expect(await follow((api) => void api.on('GET /chats/c1/stream', refused))).toMatchObject({
    end: refused,
    waits: [],
  });
});
