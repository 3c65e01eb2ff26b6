import { createError } from '@berth/contract';
import { waitUntil } from '@berth/testkit';
import { describe, expect, it } from 'vitest';
import { type CallContext, type CallMessage, createCalls } from './calls.ts';
import { createPortPair } from './port-pair.test-support.ts';

function open() {
  const log: string[] = [];
  const handlers = {
    add: ({ a, b }: { a: number; b: number }) => a + b,
    refuse(code: 'conflict' | null) {
      throw code === null ? new Error('broken') : createError(code, 'It is taken.', { details: { by: 'you' } });
    },
    async count(to: number, { emit }: CallContext) {
      for (let n = 1; n <= to; n++) {
        await emit(n);
        log.push(`emitted ${n}`);
      }
      return 'counted';
    },
    hang: (_argument: null, { signal }: CallContext) =>
      new Promise<string>((resolve) => {
        log.push('hangs');
        signal.addEventListener('abort', () => {
          log.push('aborted');
          resolve('ended');
        });
      }),
  };
  const [near, far] = createPortPair<CallMessage>();
  createCalls<Record<never, never>>(far, handlers);
  return { calls: createCalls<typeof handlers>(near, {}), far, near, log };
}

describe('calls', () => {
  it('answer, at once and side by side', async () => {
    const { calls, near } = open();
    const answers = [calls.call('add', { a: 1, b: 2 }), calls.call('add', { a: 3, b: 4 })];
    expect(await Promise.all(answers)).toEqual([3, 7]);
    near.close();
  });

  it('throw what the handler threw: an error of the contract with all that is in it', async () => {
    const { calls, near } = open();
    await expect(calls.call('refuse', 'conflict')).rejects.toMatchObject({
      code: 'conflict',
      status: 409,
      message: 'It is taken.',
      details: { by: 'you' },
    });
    await expect(calls.call('refuse', null)).rejects.toThrow('broken');
    // biome-ignore lint/suspicious/noExplicitAny: asks for what the types forbid
    await expect(calls.call('toString' as any, null as any)).rejects.toThrow('no handler for "toString"');
    near.close();
  });

  it('hand events over in order, all of them before the answer, and no faster than they are taken', async () => {
    const { calls, near, log } = open();
    const taken: unknown[] = [];
    const { promise: mayTake, resolve: take } = Promise.withResolvers<void>();
    const answer = calls.call('count', 1_000, {
      async onEvent(value) {
        await mayTake;
        taken.push(value);
      },
    });
    await waitUntil('the window is full', () => log.length === 63);
    await calls.call('add', { a: 0, b: 0 });
    expect(log).toHaveLength(63);
    take();
    expect(await answer).toBe('counted');
    expect(taken).toEqual(Array.from({ length: 1_000 }, (_, index) => index + 1));
    near.close();
  });

  it('fail when an event could not be taken, without stopping the handler', async () => {
    const { calls, near, log } = open();
    const answer = calls.call('count', 200, {
      onEvent() {
        throw new Error('disk full');
      },
    });
    await expect(answer).rejects.toThrow('disk full');
    expect(log).toHaveLength(200);
    near.close();
  });

  it('are aborted by their caller', async () => {
    const { calls, near, log } = open();
    const abort = new AbortController();
    const answer = calls.call('hang', null, { signal: abort.signal });
    await waitUntil('it hangs', () => log.includes('hangs'));
    abort.abort();
    expect(await answer).toBe('ended');
    await expect(calls.call('hang', null, { signal: abort.signal })).rejects.toThrow();
    near.close();
  });

  it('end on both sides when the channel does', async () => {
    const { calls, far, log } = open();
    const answer = calls.call('hang', null);
    await waitUntil('it hangs', () => log.includes('hangs'));
    far.close();
    await expect(answer).rejects.toMatchObject({ code: 'unavailable', isRetryable: true });
    await waitUntil('the handler knows', () => log.includes('aborted'));
    await expect(calls.call('add', { a: 1, b: 1 })).rejects.toMatchObject({ code: 'unavailable' });
  });

  // Fails when a handler that waits for room isn't woken: its build would hold a slot for ever.
  it('wake a handler that waits for room when its caller is gone', async () => {
    const { calls, near, log } = open();
    const answer = calls.call('count', 100, { onEvent: () => new Promise(() => {}) });
    answer.catch(() => {});
    await waitUntil('the window is full', () => log.length === 63);
    near.close();
    await waitUntil('the handler goes on to its end', () => log.length === 100);
  });

  // Fails when the error of sending is lost: the caller would wait for an answer that never comes.
  it('fail when an argument or an answer cannot be sent', async () => {
    const [near, far] = createPortPair<CallMessage>();
    const handlers = { give: () => () => 'a function', take: (value: unknown) => String(value) };
    createCalls<Record<never, never>>(far, handlers);
    const calls = createCalls<typeof handlers>(near, {});
    await expect(calls.call('give', null as never)).rejects.toThrow(/could not be cloned/);
    await expect(calls.call('take', () => 'a function')).rejects.toThrow(/could not be cloned/);
    // The channel is as good as before.
    expect(await calls.call('take', 1)).toBe('1');
    near.close();
  });

  it('pass what is late over: an abort after the answer, and messages of calls that are not known', async () => {
    const { calls, near, far } = open();
    const abort = new AbortController();
    expect(await calls.call('add', { a: 1, b: 2 }, { signal: abort.signal })).toBe(3);
    abort.abort();
    for (const kind of ['done', 'event'] as const) far.post({ kind, call: 99, value: 1 });
    far.post({ kind: 'taken', call: 99 });
    far.post({ kind: 'abort', call: 99 });
    expect(await calls.call('add', { a: 2, b: 2 })).toBe(4);
    near.close();
  });

  // Fails when both directions share their numbers or their tables.
  it('go both ways over one channel at once', async () => {
    const [near, far] = createPortPair<CallMessage>();
    type Side = { readonly name: (who: string) => string };
    const side = (own: string): Side => ({ name: (who) => `${own} to ${who}` });
    const left = createCalls<Side>(near, side('left'));
    const right = createCalls<Side>(far, side('right'));
    const asked = Array.from({ length: 5 }, (_, n) => [left.call('name', `l${n}`), right.call('name', `r${n}`)]);
    expect(await Promise.all(asked.flat())).toEqual(
      Array.from({ length: 5 }, (_, n) => [`right to l${n}`, `left to r${n}`]).flat(),
    );
    near.close();
  });
});
