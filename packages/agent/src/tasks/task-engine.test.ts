import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { TaskError } from './task-error.ts';
import { openTaskFixture, type TaskFixture } from './testing/open-task-fixture.ts';

const MINUTE_MS = 60_000;
const never = () => new Promise<never>(() => {});

/** Lets an instance do what is due now. */
const settle = ({ clock }: TaskFixture) => clock.elapse(0);

describe('a task', () => {
  // Fails when enqueue doesn't wake the engine: the task would start at the next look, a second later.
  test('starts at once, and keeps what its handler returns', async () => {
    await using fixture = await openTaskFixture();
    fixture.define('double', { input: z.object({ n: z.number() }) }, ({ n }, { attempt }) => ({
      twice: 2 * n,
      attempt,
    }));
    const { tasks } = fixture.instance();
    await settle(fixture);
    const { id, status } = await tasks.enqueue('double', { n: 21 });
    expect(status).toBe('pending');
    await settle(fixture);
    expect(await tasks.get(id)).toMatchObject({ status: 'succeeded', attempt: 1, result: { twice: 42, attempt: 1 } });
  });

  // Fails when a delay is counted from anything but the call, or is not heeded.
  test('starts when its time has come, also on an instance that was told nothing', async () => {
    await using fixture = await openTaskFixture();
    const startedMs: number[] = [];
    fixture.define('later', {}, () => void startedMs.push(fixture.clock.nowMs()));
    const { tasks } = fixture.instance();
    const nowMs = fixture.clock.nowMs();
    await tasks.enqueue('later', undefined, { delayMs: 5_000 });
    await tasks.enqueue('later', undefined, { runAt: new Date(nowMs + 9_000) });
    await fixture.clock.elapse(4_000);
    expect(startedMs).toEqual([]);
    await fixture.clock.elapse(7_000);
    expect(startedMs.map((ms) => Math.round((ms - nowMs) / 1_000))).toEqual([5, 9]);
  });

  test('that is wrong is refused with a sentence, and nothing is stored', async () => {
    await using fixture = await openTaskFixture();
    fixture.define('send', { input: z.object({ to: z.string() }) }, never);
    fixture.define('dated', { input: z.object({ at: z.date() }) }, never);
    const { tasks } = fixture.instance();
    const refusals = [
      [() => tasks.enqueue('sent', {}), /no such task. The tasks are send, dated/],
      [() => tasks.enqueue('send', { to: 1 }), /expected string/],
      // JSON turns a date into text, so the schema could never be met.
      [() => tasks.enqueue('dated', { at: new Date() }), /expected date/],
      [() => tasks.enqueue('send', { to: 1n }), /not JSON/],
      [() => tasks.enqueue('send', () => 1), /not JSON/],
      [() => tasks.enqueue('send', { to: 'x'.repeat(17 * 1_048_576) }), /bytes/],
      [() => tasks.enqueue('send', { to: 'a' }, { delayMs: -1 }), /delayMs/],
      [() => tasks.enqueue('send', { to: 'a' }, { runAt: new Date('never') }), /runAt/],
      [() => tasks.enqueue('send', { to: 'a' }, { delayMs: 1, runAt: new Date() }), /not both/],
      [() => tasks.enqueue('send', { to: 'a' }, { idempotencyKey: '' }), /idempotencyKey/],
      [() => tasks.enqueue('send', { to: 'a' }, { concurrencyKey: 'x'.repeat(201) }), /concurrencyKey/],
      [() => tasks.enqueue('send', { to: 'a' }, { user: { id: 'alice' } }), /without auth/],
    ] as const;
    for (const [call, reason] of refusals) await expect(call()).rejects.toThrow(reason);
    expect(await tasks.list()).toEqual({ tasks: [] });
  });

  test('with a known idempotency key is not added again, also after its end', async () => {
    await using fixture = await openTaskFixture();
    let count = 0;
    fixture.define('once', {}, () => ++count);
    const { tasks } = fixture.instance();
    const first = await tasks.enqueue('once', undefined, { idempotencyKey: 'k' });
    await settle(fixture);
    expect(await tasks.enqueue('once', undefined, { idempotencyKey: 'k' })).toMatchObject({
      id: first.id,
      status: 'succeeded',
    });
    await settle(fixture);
    expect(count).toBe(1);
  });

  test('has the turns and the log of its own', async () => {
    await using fixture = await openTaskFixture();
    fixture.define('talk', {}, async (_input, { run, log }) => {
      log.info({}, 'about to talk');
      await run({ message: 'Hello' });
    });
    const { tasks } = fixture.instance();
    const { id } = await tasks.enqueue('talk');
    await settle(fixture);
    expect(fixture.runs).toMatchObject([{ message: 'Hello' }]);
    expect(fixture.lines.find((line) => line.includes('about to talk'))).toContain(id);
  });
});

describe('an attempt that fails', () => {
  // Fails when the delay isn't doubled, has no bound, or the failures aren't counted.
  // Holds the agent to the contract: verifies('task.once-more')
  test('is repeated with growing delays, and the last failure keeps the task with a reference', async () => {
    await using fixture = await openTaskFixture();
    const startedMs: number[] = [];
    fixture.define('fail', { retry: { attempts: 4, minDelayMs: 10_000, maxDelayMs: 20_000 } }, () => {
      startedMs.push(fixture.clock.nowMs());
      throw new Error('the secret reason');
    });
    const { tasks } = fixture.instance();
    const { id } = await tasks.enqueue('fail');
    await fixture.clock.elapse(10 * MINUTE_MS);
    const delays = startedMs.slice(1).map((ms, index) => ms - (startedMs[index] as number));
    expect(delays).toHaveLength(3);
    for (const [index, most] of [11_000, 21_000, 21_000].entries()) {
      expect(delays[index]).toBeLessThanOrEqual(most);
      expect(delays[index]).toBeGreaterThanOrEqual(most / 2 - 1_000);
    }
    const task = await tasks.get(id);
    expect(task).toMatchObject({
      status: 'failed',
      attempt: 4,
      error: { reference: expect.stringMatching(/^[0-9a-f]{8}$/) },
    });
    // Fails when the text of any error is stored, where people read it.
    expect(JSON.stringify(task)).not.toContain('secret');
    const logged = fixture.lines.filter((line) => line.includes(task.error?.reference as string));
    expect(logged.join()).toContain('the secret reason');
  });

  test('with a TaskError decides what happens next', async () => {
    await using fixture = await openTaskFixture();
    const errors = [
      new TaskError('Busy.', { retryAfterMs: 30_000 }),
      new TaskError('No such order.', { isRetryable: false }),
    ];
    const startedMs: number[] = [];
    fixture.define('order', {}, () => {
      startedMs.push(fixture.clock.nowMs());
      throw errors[startedMs.length - 1];
    });
    const { tasks } = fixture.instance();
    const { id } = await tasks.enqueue('order');
    await fixture.clock.elapse(MINUTE_MS);
    expect((startedMs[1] as number) - (startedMs[0] as number)).toBeGreaterThanOrEqual(30_000);
    expect(await tasks.get(id)).toMatchObject({ status: 'failed', attempt: 2, error: { message: 'No such order.' } });
  });

  test('is retried by hand with all its attempts', async () => {
    await using fixture = await openTaskFixture();
    let isFixed = false;
    fixture.define('repaired', { retry: { attempts: 1 } }, () => {
      if (!isFixed) throw new Error('broken');
    });
    const { tasks } = fixture.instance();
    const { id } = await tasks.enqueue('repaired');
    await settle(fixture);
    expect((await tasks.list({ status: 'failed' })).tasks.map((task) => task.id)).toEqual([id]);
    isFixed = true;
    expect(await tasks.retry(id)).toMatchObject({ status: 'pending' });
    await settle(fixture);
    expect(await tasks.get(id)).toMatchObject({ status: 'succeeded', attempt: 2 });
    await expect(tasks.retry(id)).rejects.toMatchObject({ code: 'conflict' });
    await expect(tasks.retry('task_none')).rejects.toMatchObject({ code: 'not_found' });
  });

  // Fails when the timeout doesn't abort the signal, or an attempt that ignores it holds its task forever.
  test('by its timeout is one, whether its handler ends or not', async () => {
    await using fixture = await openTaskFixture();
    const signals: AbortSignal[] = [];
    fixture.define('slow', { timeoutMs: 5_000, retry: { attempts: 1 } }, async (_input, { signal, run }) => {
      signals.push(signal);
      await run({ message: 'go' });
      await never();
    });
    const { tasks } = fixture.instance();
    const { id } = await tasks.enqueue('slow');
    await fixture.clock.elapse(6_000);
    expect([signals[0]?.aborted, fixture.runs[0]?.signal?.aborted]).toEqual([true, true]);
    expect((await tasks.get(id)).status).toBe('running');
    await fixture.clock.elapse(11_000);
    expect(await tasks.get(id)).toMatchObject({
      status: 'failed',
      error: { message: 'The attempt took longer than 5 s.' },
    });
  });

  test('because its input no longer fits its schema is not repeated', async () => {
    await using fixture = await openTaskFixture();
    let isStrict = false;
    const input = z.object({ n: z.number() }).refine(() => !isStrict);
    fixture.define('changed', { input }, never);
    const { tasks } = fixture.instance();
    const { id } = await tasks.enqueue('changed', { n: 1 }, { delayMs: 2_000 });
    isStrict = true;
    await fixture.clock.elapse(4_000);
    expect(await tasks.get(id)).toMatchObject({ status: 'failed', attempt: 1, error: { message: /schema/ } });
  });

  test('because its result cannot be stored is not repeated', async () => {
    await using fixture = await openTaskFixture();
    const results: unknown[] = ['x'.repeat(1_048_576), 1n];
    fixture.define('large', {}, () => results.shift());
    const { tasks } = fixture.instance();
    const ids = [(await tasks.enqueue('large')).id, (await tasks.enqueue('large')).id];
    await settle(fixture);
    for (const id of ids) expect(await tasks.get(id)).toMatchObject({ status: 'failed', attempt: 1 });
  });
});

describe('canceling', () => {
  test('ends a task that waits at once, and one that runs when its handler has ended', async () => {
    await using fixture = await openTaskFixture();
    const gate = Promise.withResolvers<void>();
    fixture.define('work', {}, async (_input, { signal, run }) => {
      await run({ message: 'go' });
      await gate.promise;
      expect(signal.aborted).toBe(true);
      return 'done after all';
    });
    // Two instances: the request reaches the one that runs the task by the store.
    fixture.instance();
    const { tasks } = fixture.instance();
    const waiting = await tasks.enqueue('work', undefined, { delayMs: 100_000 });
    const running = await tasks.enqueue('work');
    await settle(fixture);
    expect(await tasks.cancel(waiting.id)).toMatchObject({ status: 'cancelled' });
    expect(await tasks.cancel(running.id)).toMatchObject({ status: 'running', isCancelRequested: true });
    await fixture.clock.elapse(2_000);
    expect(fixture.runs[0]?.signal?.aborted).toBe(true);
    gate.resolve();
    await settle(fixture);
    const ended = await tasks.get(running.id);
    // Fails when a result that came after the cancellation makes a canceled task a success.
    expect(ended).toMatchObject({ status: 'cancelled', isCancelRequested: false });
    expect(ended).not.toHaveProperty('result');
    expect(ended).not.toHaveProperty('error');
    await expect(tasks.cancel(running.id)).rejects.toMatchObject({ code: 'conflict' });
    await expect(tasks.cancel('task_none')).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('progress', () => {
  // Fails when each call writes, or the last one is lost.
  test('is written once a second, and the last one at the end', async () => {
    await using fixture = await openTaskFixture();
    const written: string[] = [];
    const gate = Promise.withResolvers<void>();
    fixture.define('steps', {}, async (_input, { progress }) => {
      for (let step = 0; step <= 50; step++) progress({ fraction: step / 100 });
      await gate.promise;
      progress({ fraction: 0.9 });
      progress({ fraction: 1, message: 'Done' });
      expect(() => progress({ fraction: 2 })).toThrow(RangeError);
    });
    const { tasks } = fixture.instance({
      async setProgress(id, attempt, progress) {
        written.push(progress);
        return fixture.store.setProgress(id, attempt, progress);
      },
    });
    const { id } = await tasks.enqueue('steps');
    await fixture.clock.elapse(3_500);
    gate.resolve();
    await settle(fixture);
    expect(written.map((json) => (JSON.parse(json) as { fraction: number }).fraction)).toEqual([0, 0.5, 0.9, 1]);
    expect((await tasks.get(id)).progress).toEqual({ fraction: 1, message: 'Done' });
  });
});
