import { expect, test, vi } from 'vitest';
import { ApiError } from '../../../api/api.ts';
import { createFakeAgent } from '../../../testing/fake-agent.ts';
import { postQuestion } from './post-question.ts';

const CALL = 'POST /chat?id=c1';
const AWAY = new TypeError('network error');

/** Sends a message: `answers` are the results of its tries, `arrived` those of the checks whether it is in the chat. */
async function post(answers: readonly unknown[], arrived: readonly (boolean | undefined)[] = []) {
  const api = createFakeAgent();
  api.on(CALL, ...answers);
  const waits: number[] = [];
  const onWaiting = vi.fn();
  const left = [...arrived];
  const outcome = await postQuestion({
    api,
    chatId: 'c1',
    messages: [{ role: 'user', content: 'hello' }],
    signal: new AbortController().signal,
    wait: async (delayMs) => void waits.push(delayMs),
    hasArrived: async () => left.shift(),
    onWaiting,
  }).then(
    (response) => response && 'stream',
    (error: unknown) => error,
  );
  return {
    outcome,
    waits,
    tries: api.calls.length,
    isWaiting: onWaiting.mock.calls.length > 0,
    body: api.calls[0]?.body,
  };
}

test('a message goes out once, and its turn goes on without the page', async () => {
  expect(await post([new Response('')])).toEqual({
    outcome: 'stream',
    waits: [],
    tries: 1,
    isWaiting: false,
    body: { messages: [{ role: 'user', content: 'hello' }], detach: true },
  });
});

// Fails when a message is sent again without a check whether it has arrived: the agent would answer it twice.
test('after a broken connection nothing is sent that has arrived', async () => {
  expect(await post([AWAY], [true])).toMatchObject({ outcome: undefined, tries: 1 });
});

test('a 409 to a second try is the message of the first', async () => {
  const busy = new ApiError(409, 'busy');
  expect(await post([AWAY, busy, busy, busy, busy, busy], [false])).toMatchObject({ outcome: undefined });
});

test('a message that did not arrive is tried four times, each later than the one before', async () => {
  const { outcome, waits, tries, isWaiting } = await post([AWAY, AWAY, AWAY, AWAY], [false, false, false, false]);
  expect({ outcome, waits, tries, isWaiting }).toEqual({
    outcome: AWAY,
    waits: [250, 500, 1_000],
    tries: 4,
    isWaiting: false,
  });
});

// Fails when the tries without a connection count: the first request after one returns may still fail.
test('after a long time without a connection it still has all its tries', async () => {
  const offline = [undefined, undefined, undefined, undefined];
  const { outcome } = await post(
    [...offline.map(() => AWAY), AWAY, AWAY, new Response('')],
    [...offline, false, false],
  );
  expect(outcome).toBe('stream');
});

test('without a way to the agent it waits for as long as that takes', async () => {
  const gateways = [502, 503, 504, 503, 503, 503].map((status) => new ApiError(status, 'away'));
  const { outcome, waits, isWaiting } = await post(
    [...gateways, new Response('')],
    gateways.map(() => undefined),
  );
  expect({ outcome, isWaiting }).toEqual({ outcome: 'stream', isWaiting: true });
  expect(waits).toEqual([250, 500, 1_000, 2_000, 4_000, 4_000]);
});

test('what the agent refuses is not tried again', async () => {
  const refused = new ApiError(413, 'too long');
  expect(await post([refused])).toMatchObject({ outcome: refused, tries: 1, waits: [] });
});

test('another turn of the chat is waited for, and then told', async () => {
  const busy = () => new ApiError(409, 'busy');
  expect(await post([busy(), busy(), new Response('')])).toMatchObject({ outcome: 'stream', waits: [300, 700] });
  expect(await post(Array.from({ length: 5 }, busy))).toMatchObject({ outcome: { status: 409 }, tries: 5 });
});
