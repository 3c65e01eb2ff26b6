import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { openTaskFixture, type TaskFixture } from './testing/open-task-fixture.ts';

const MINUTE_MS = 60_000;
const never = () => new Promise<never>(() => {});
const refuse = () => Promise.reject(new Error('unreachable'));

/** Lets an instance do what is due now. */
const settle = ({ clock }: TaskFixture) => clock.elapse(0);

describe('concurrency', () => {
  test('is limited per instance', async () => {
    await using fixture = await openTaskFixture();
    let running = 0;
    let most = 0;
    fixture.define('many', {}, async () => {
      most = Math.max(most, ++running);
      await fixture.clock.sleep(1_500);
      running--;
    });
    const { tasks } = fixture.instance({}, { concurrency: 2 });
    for (let count = 0; count < 5; count++) await tasks.enqueue('many');
    await fixture.clock.elapse(20_000);
    expect([most, (await tasks.list({ status: 'succeeded' })).tasks.length]).toEqual([2, 5]);
  });

  test('is limited per key, over all instances', async () => {
    await using fixture = await openTaskFixture();
    const running: string[] = [];
    let most = 0;
    const input = z.object({ customer: z.string() });
    fixture.define('sync', { input, concurrencyKey: ({ customer }) => customer }, async ({ customer }) => {
      expect(running).not.toContain(customer);
      running.push(customer);
      most = Math.max(most, running.length);
      await fixture.clock.sleep(1_500);
      running.splice(running.indexOf(customer), 1);
    });
    fixture.instance();
    const { tasks } = fixture.instance();
    for (const customer of ['a', 'a', 'b', 'a', 'b']) await tasks.enqueue('sync', { customer });
    await fixture.clock.elapse(30_000);
    expect([most, (await tasks.list({ status: 'succeeded' })).tasks.length]).toEqual([2, 5]);
  });
});

// Fails when an instance starts what it claimed without looking whether the lease has ended before the answer came.
test('an instance that was blocked while it claimed runs only what it still holds', async () => {
  await using fixture = await openTaskFixture();
  const attempts: number[] = [];
  fixture.define('once', { retry: { minDelayMs: 0 } }, async (_input, { attempt }) => void attempts.push(attempt));
  const answered = Promise.withResolvers<void>();
  const { tasks } = fixture.instance({
    async claim(options) {
      const claimed = await fixture.store.claim(options);
      await answered.promise;
      return claimed;
    },
  });
  await tasks.enqueue('once');
  await settle(fixture);
  fixture.instance();
  await fixture.clock.elapse(3 * MINUTE_MS);
  expect(attempts).toEqual([2]);
  answered.resolve();
  await settle(fixture);
  expect(attempts).toEqual([2]);
});

// Fails when a replaced instance begins another task, breaks off the one that it has, or is busy with what is due.
test('an instance that is replaced finishes its tasks and begins none', async () => {
  await using fixture = await openTaskFixture();
  const done: string[] = [];
  const input = z.object({ name: z.string(), seconds: z.number() });
  fixture.define('work', { input }, async ({ name, seconds }) => {
    await fixture.clock.sleep(seconds * 1_000);
    done.push(name);
  });
  const replaced = new AbortController();
  const old = fixture.instance({}, { concurrency: 1 }, replaced.signal);
  await old.tasks.enqueue('work', { name: 'first', seconds: 90 });
  await old.tasks.enqueue('work', { name: 'second', seconds: 0 });
  await settle(fixture);
  replaced.abort();
  expect(old.isBusy).toBe(true);
  await fixture.clock.elapse(2 * MINUTE_MS);
  expect([done, old.isBusy]).toEqual([['first'], false]);
  fixture.instance();
  await fixture.clock.elapse(2_000);
  expect(done).toEqual(['first', 'second']);
});

describe('an instance that ends', () => {
  // Fails when a shutdown counts as a failure, or the task waits for its lease.
  test('releases its tasks, which another one runs at once', async () => {
    await using fixture = await openTaskFixture();
    const attempts: number[] = [];
    fixture.define('long', { retry: { attempts: 1 } }, async (_input, { attempt, run, signal }) => {
      attempts.push(attempt);
      if (attempt === 2) return 'done';
      await run({ message: 'go' });
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      return 'too early';
    });
    const first = fixture.instance();
    const { id } = await first.tasks.enqueue('long');
    await settle(fixture);
    await first.close(0);
    expect(await fixture.find(id)).toMatchObject({ status: 'pending', failures: 0 });
    // The engine of runs interrupts turns at a shutdown, so that another instance goes on with them.
    expect(fixture.runs[0]?.signal?.aborted).toBe(false);
    const { tasks } = fixture.instance();
    await settle(fixture);
    expect(await tasks.get(id)).toMatchObject({ status: 'succeeded', result: 'done' });
    expect(attempts).toEqual([1, 2]);
  });

  test('lets its tasks finish for a while', async () => {
    await using fixture = await openTaskFixture();
    fixture.define('short', {}, () => fixture.clock.sleep(2_000));
    const first = fixture.instance();
    const { id } = await first.tasks.enqueue('short');
    await settle(fixture);
    const closed = first.close(8_000);
    await fixture.clock.elapse(3_000);
    await closed;
    expect((await fixture.find(id)).status).toBe('succeeded');
  });

  // Fails when the lease isn't extended: the other instance would take a task that runs.
  // Holds the agent to the contract: verifies('task.one-instance')
  test('without a word loses its tasks after a minute, and one that lives keeps them', async () => {
    await using fixture = await openTaskFixture();
    const attempts: number[] = [];
    const gate = Promise.withResolvers<void>();
    fixture.define('long', {}, async (_input, { attempt }) => {
      attempts.push(attempt);
      if (attempt === 1) await gate.promise;
      return attempt;
    });
    let isDead = false;
    const dying = fixture.instance({
      extend: (...values) => (isDead ? refuse() : fixture.store.extend(...values)),
    });
    const { id } = await dying.tasks.enqueue('long');
    await settle(fixture);
    const { tasks } = fixture.instance();
    await fixture.clock.elapse(5 * MINUTE_MS);
    expect(attempts).toEqual([1]);
    isDead = true;
    await fixture.clock.elapse(2 * MINUTE_MS);
    expect(attempts).toEqual([1, 2]);
    expect(await fixture.find(id)).toMatchObject({ status: 'succeeded', failures: 1, result: '2' });
    // Fails when a late end isn't fenced: the dead instance's result would replace the one that counts.
    gate.resolve();
    await fixture.clock.elapse(1_000);
    expect((await tasks.get(id)).result).toBe(2);
  });

  test('that kills the process each time ends as failed', async () => {
    await using fixture = await openTaskFixture();
    fixture.define('poison', { retry: { attempts: 2 } }, never);
    const { tasks } = fixture.instance({ extend: refuse });
    const { id } = await tasks.enqueue('poison');
    await settle(fixture);
    fixture.instance({ extend: refuse });
    await fixture.clock.elapse(3 * MINUTE_MS);
    fixture.instance();
    await fixture.clock.elapse(3 * MINUTE_MS);
    expect(await fixture.find(id)).toMatchObject({ status: 'failed', attempt: 2, failures: 2 });
  });
});

describe('the store', () => {
  // Fails when an end that can't be stored is dropped: the task would run again, though it has ended.
  test('may be unreachable when a task ends', async () => {
    await using fixture = await openTaskFixture();
    let failures = 3;
    let count = 0;
    fixture.define('work', {}, () => ++count);
    const { tasks } = fixture.instance({
      async settle(...values) {
        if (failures-- > 0) throw new Error('unreachable');
        return fixture.store.settle(...values);
      },
    });
    const { id } = await tasks.enqueue('work');
    await fixture.clock.elapse(5_000);
    expect(await tasks.get(id)).toMatchObject({ status: 'succeeded', result: 1 });
  });

  test('keeps ended tasks for a week and failed ones for a month', async () => {
    await using fixture = await openTaskFixture();
    fixture.define('good', {}, () => 1);
    fixture.define('bad', { retry: { attempts: 1 } }, () => {
      throw new Error('bad');
    });
    const first = fixture.instance();
    await first.tasks.enqueue('good');
    await first.tasks.enqueue('bad');
    await settle(fixture);
    await first.close(0);
    const namesAfter = async (days: number) => {
      fixture.clock.advance(days * 86_400_000);
      const { tasks, close } = fixture.instance();
      await settle(fixture);
      await close(0);
      return (await tasks.list()).tasks.map(({ name }) => name);
    };
    expect(await namesAfter(6)).toEqual(['bad', 'good']);
    expect(await namesAfter(1)).toEqual(['bad']);
    expect(await namesAfter(23)).toEqual([]);
  });

  test('may hold tasks that this program does not know, which wait', async () => {
    await using fixture = await openTaskFixture();
    fixture.define('known', {}, never);
    await fixture.store.add({
      ...{ id: 'task_1', owner: '' as never, name: 'unknown', input: 'null' },
      ...{ runAtMs: 0, nowMs: 0 },
    });
    fixture.instance();
    await fixture.clock.elapse(5_000);
    expect((await fixture.find('task_1')).status).toBe('pending');
    expect(fixture.lines.join()).toMatch(/no handler for.*|unknown/);
  });
});

describe('an agent', () => {
  // Fails when isBusy ignores what is due soon: the platform would stop an instance that must start again at once.
  // Holds the agent to the contract: verifies('task.busy')
  test('is busy while tasks run, are due or are due within a minute', async () => {
    await using fixture = await openTaskFixture();
    const gate = Promise.withResolvers<void>();
    fixture.define('work', {}, () => gate.promise);
    const instance = fixture.instance();
    await settle(fixture);
    expect(instance.isBusy).toBe(false);
    const { id } = await instance.tasks.enqueue('work', undefined, { delayMs: 2 * MINUTE_MS });
    await settle(fixture);
    expect(instance.isBusy).toBe(false);
    await fixture.clock.elapse(MINUTE_MS);
    expect(instance.isBusy).toBe(true);
    await fixture.clock.elapse(MINUTE_MS + 1_000);
    expect([instance.isBusy, (await fixture.find(id)).status]).toEqual([true, 'running']);
    gate.resolve();
    await settle(fixture);
    expect(instance.isBusy).toBe(false);
  });

  test('without tasks asks its store nothing', async () => {
    await using fixture = await openTaskFixture();
    const instance = fixture.instance({
      nextDueMs: () => {
        throw new Error('asked');
      },
    });
    await fixture.clock.elapse(MINUTE_MS);
    expect([instance.isBusy, fixture.lines, fixture.clock.pending]).toEqual([false, [], 0]);
    await expect(instance.tasks.enqueue('any')).rejects.toThrow(/None is defined/);
  });
});
