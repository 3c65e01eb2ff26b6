import { expect, test } from 'vitest';
import type { NewTask, StoredTask, TaskEnd } from '../ports/task-store.ts';
import { NOW_MS, type StoreFixture } from './store-fixture.ts';

const LEASE_MS = 60_000;
const ALL = { all: true } as const;

/** Runs the contract tests of a {@link TaskStore}. */
export function describeTaskStore(open: () => StoreFixture): void {
  let count = 0;
  /** Tasks of a name of their own, since claims and sweeps see the tasks of all owners. */
  const openTasks = () => {
    const { stores, ann, bob } = open();
    const { tasks } = stores;
    const name = `work-${++count}-${ann}`;
    const newTask = (changes: Partial<NewTask> = {}): NewTask => ({
      id: `task-${String(++count).padStart(6, '0')}-${ann}`,
      owner: ann,
      name,
      input: '{"n":1}',
      runAtMs: NOW_MS,
      nowMs: NOW_MS,
      ...changes,
    });
    const claim = (changes: { holder?: string; nowMs?: number; limit?: number; names?: string[] } = {}) => {
      const { nowMs = NOW_MS } = changes;
      return tasks.claim({
        names: [name],
        holder: `one-${name}`,
        limit: 10,
        leaseUntilMs: nowMs + LEASE_MS,
        nowMs,
        ...changes,
      });
    };
    const add = async (changes?: Partial<NewTask>) => (await tasks.add(newTask(changes))).task;
    return { tasks, ann, bob, name, newTask, claim, add };
  };
  const end = (status: 'succeeded' | 'failed' | 'cancelled', more: object = {}): TaskEnd => ({
    status,
    nowMs: NOW_MS + 5,
    failures: 0,
    expiresAtMs: NOW_MS + 100,
    ...more,
  });
  const release = (more: object = {}): TaskEnd => ({
    status: 'pending',
    runAtMs: NOW_MS,
    nowMs: NOW_MS + 5,
    failures: 1,
    expiresAtMs: NOW_MS + 100,
    ...more,
  });
  const statusOf = async ({ tasks }: ReturnType<typeof openTasks>, { id }: StoredTask) =>
    (await tasks.find(ALL, id))?.status;

  test('a task is stored as it was added, and belongs to its owner', async () => {
    const { tasks, ann, bob, newTask } = openTasks();
    const added = newTask({ context: '{"chat":"c1"}', runAtMs: NOW_MS + 1 });
    const { nowMs: _nowMs, ...own } = added;
    const stored = {
      ...own,
      status: 'pending',
      attempt: 0,
      failures: 0,
      createdAtMs: NOW_MS,
      isCancelRequested: false,
    };
    expect(await tasks.add(added)).toEqual({ task: stored, isNew: true });
    expect(await tasks.find(ann, added.id)).toEqual(stored);
    expect(await tasks.find(ALL, added.id)).toEqual(stored);
    expect(await tasks.find(bob, added.id)).toBeUndefined();
    expect(await tasks.cancel(bob, added.id, { nowMs: NOW_MS, expiresAtMs: NOW_MS })).toBeUndefined();
    expect(await tasks.retry(bob, added.id, NOW_MS)).toBeUndefined();
  });

  // Fails when the insertion doesn't rely on the unique index: concurrent calls would add several.
  test('of concurrent additions with one idempotency key, one adds', async () => {
    const { tasks, bob, newTask, name } = openTasks();
    const results = await Promise.all(
      Array.from({ length: 10 }, () => tasks.add(newTask({ idempotencyKey: 'once', input: '"first"' }))),
    );
    expect(results.filter(({ isNew }) => isNew)).toHaveLength(1);
    expect(new Set(results.map(({ task }) => task.id)).size).toBe(1);
    for (const other of [{ owner: bob }, { name: `${name}-other` }, { idempotencyKey: 'twice' }]) {
      expect((await tasks.add(newTask({ idempotencyKey: 'once', ...other }))).isNew).toBe(true);
    }
  });

  // Fails when a claim doesn't check the status again in its update.
  test('a due task is claimed once, with the next attempt number', async () => {
    const { claim, add, name } = openTasks();
    const due = await add();
    await add({ runAtMs: NOW_MS + 1 });
    await add({ name: `${name}-other` });
    const claims = await Promise.all(['a', 'b', 'c'].map((holder) => claim({ holder: `${holder}-${name}` })));
    expect(claims.flat()).toMatchObject([{ id: due.id, status: 'running', attempt: 1, startedAtMs: NOW_MS }]);
    expect(await claim()).toEqual([]);
    expect(await claim({ names: [] })).toEqual([]);
  });

  test('the oldest due time is claimed first, within the limit', async () => {
    const { claim, add } = openTasks();
    const late = await add({ runAtMs: NOW_MS - 1 });
    const early = await add({ runAtMs: NOW_MS - 2 });
    expect((await claim({ limit: 1 })).map(({ id }) => id)).toEqual([early.id]);
    expect((await claim()).map(({ id }) => id)).toEqual([late.id]);
    expect(await claim({ limit: 0 })).toEqual([]);
  });

  // Fails when a claim takes more slots than the limit, or when tasks of a full key block the others.
  test('at most as many tasks of a key run as its limit says', async () => {
    const { tasks, claim, add, name } = openTasks();
    const concurrency = { key: `key-${name}`, limit: 2 };
    for (let number = 0; number < 5; number++) await add({ concurrency, runAtMs: NOW_MS - 10 });
    const free = await add();
    const first: StoredTask[] = [];
    for (let round = 0; round < 4; round++) {
      const claims = await Promise.all(
        ['a', 'b', 'c'].map((holder) => claim({ holder: `${holder}-${name}`, limit: 3 })),
      );
      first.push(...claims.flat());
    }
    expect(first.map(({ id }) => id)).toContain(free.id);
    expect(first).toHaveLength(3);
    const ofKey = first.find(({ id }) => id !== free.id) as StoredTask;
    await tasks.settle(ofKey.id, ofKey.attempt, end('succeeded'));
    expect(await claim()).toHaveLength(1);
  });

  test('an attempt ends once, and an earlier attempt changes nothing', async () => {
    const fixture = openTasks();
    const { tasks, claim, add } = fixture;
    const task = await add();
    await claim();
    expect(await tasks.settle(task.id, 1, release({ error: '{"reference":"1"}' }))).toBe(true);
    expect(await tasks.find(ALL, task.id)).toMatchObject({
      status: 'pending',
      failures: 1,
      error: '{"reference":"1"}',
    });
    await claim();
    // Fails when an end isn't fenced by its attempt: the first attempt would end the second one.
    expect(await tasks.settle(task.id, 1, end('failed'))).toBe(false);
    expect(await tasks.setProgress(task.id, 1, '{}')).toBe(false);
    expect(await tasks.setProgress(task.id, 2, '{"message":"half"}')).toBe(true);
    expect(await tasks.settle(task.id, 2, end('succeeded', { result: '{"ok":1}' }))).toBe(true);
    expect(await tasks.settle(task.id, 2, end('failed'))).toBe(false);
    const stored = await tasks.find(ALL, task.id);
    expect(stored).toMatchObject({
      status: 'succeeded',
      attempt: 2,
      result: '{"ok":1}',
      progress: '{"message":"half"}',
    });
    expect(stored).toMatchObject({ endedAtMs: NOW_MS + 5 });
    expect(stored).not.toHaveProperty('error');
  });

  test('an attempt whose process is gone is found, and ended only if its lease is over', async () => {
    const fixture = openTasks();
    const { tasks, claim, add, name } = fixture;
    const task = await add();
    await claim();
    const lateMs = NOW_MS + LEASE_MS + 1;
    expect(await tasks.listExpired([name], NOW_MS + LEASE_MS, 10)).toEqual([]);
    expect(await tasks.listExpired([`${name}-other`], lateMs, 10)).toEqual([]);
    expect((await tasks.listExpired([name], lateMs, 10)).map(({ id }) => id)).toEqual([task.id]);
    expect(await tasks.extend(`one-${name}`, lateMs + LEASE_MS)).toEqual([
      { id: task.id, attempt: 1, isCancelRequested: false },
    ]);
    // Fails when the end doesn't look at the lease again: a task that is alive would run twice.
    expect(await tasks.settle(task.id, 1, release({ leaseBeforeMs: lateMs }))).toBe(false);
    expect(await tasks.settle(task.id, 1, release({ leaseBeforeMs: lateMs + LEASE_MS + 1 }))).toBe(true);
    expect(await tasks.extend(`one-${name}`, lateMs)).toEqual([]);
  });

  test('a pending task is canceled at once, a running one by its holder', async () => {
    const fixture = openTasks();
    const { tasks, ann, claim, add, name } = fixture;
    const times = { nowMs: NOW_MS + 1, expiresAtMs: NOW_MS + 100 };
    const running = await add();
    await claim();
    const pending = await add();
    expect(await tasks.cancel(ann, pending.id, times)).toMatchObject({ status: 'cancelled', endedAtMs: NOW_MS + 1 });
    expect(await tasks.cancelRequests(`one-${name}`)).toEqual([]);
    expect(await tasks.cancel(ann, running.id, times)).toMatchObject({ status: 'running', isCancelRequested: true });
    expect(await tasks.cancelRequests(`one-${name}`)).toEqual([running.id]);
    expect(await tasks.extend(`one-${name}`, NOW_MS)).toMatchObject([{ isCancelRequested: true }]);
    // Fails when a release forgets the request: the task would run again.
    expect(await tasks.settle(running.id, 1, release())).toBe(true);
    expect(await statusOf(fixture, running)).toBe('cancelled');
    expect(await tasks.cancel(ann, running.id, times)).toBeUndefined();
    expect(await claim()).toEqual([]);
  });

  test('a task that failed can be retried by hand, as if it were new', async () => {
    const fixture = openTasks();
    const { tasks, ann, claim, add } = fixture;
    const task = await add();
    await claim();
    expect(await tasks.retry(ann, task.id, NOW_MS)).toBeUndefined();
    await tasks.settle(task.id, 1, end('failed', { failures: 5, error: '{"reference":"1"}' }));
    expect(await tasks.retry(ann, task.id, NOW_MS + 7)).toMatchObject({ status: 'pending', failures: 0, attempt: 1 });
    expect(await claim({ nowMs: NOW_MS + 7 })).toMatchObject([{ id: task.id, attempt: 2 }]);
    // Fails when the retention of the first end stays: the task would be deleted while it runs.
    await tasks.purge(NOW_MS + 1_000);
    expect(await statusOf(fixture, task)).toBe('running');
  });

  test('tasks are listed newest first, page by page, by name and status', async () => {
    const { tasks, ann, bob, name, claim, add } = openTasks();
    const first = await add();
    await claim();
    const second = await add();
    const third = await add({ name: `${name}-other` });
    await add({ owner: bob });
    const idsOf = async (options: { name?: string; status?: 'running'; limit: number; afterId?: string }) =>
      (await tasks.list(ann, options)).map(({ id }) => id);
    expect(await idsOf({ limit: 10 })).toEqual([third.id, second.id, first.id]);
    expect(await idsOf({ limit: 2 })).toEqual([third.id, second.id]);
    expect(await idsOf({ limit: 2, afterId: second.id })).toEqual([first.id]);
    expect(await idsOf({ limit: 10, name })).toEqual([second.id, first.id]);
    expect(await idsOf({ limit: 10, status: 'running' })).toEqual([first.id]);
    expect(await tasks.list(ALL, { name, limit: 10 })).toHaveLength(3);
  });

  test('the next due time and the names without a handler are known', async () => {
    const { tasks, name, claim, add } = openTasks();
    expect(await tasks.nextDueMs([name])).toBeUndefined();
    await add({ runAtMs: NOW_MS + 9 });
    await add({ runAtMs: NOW_MS + 4 });
    expect(await tasks.nextDueMs([name])).toBe(NOW_MS + 4);
    await claim({ nowMs: NOW_MS + 4 });
    expect(await tasks.nextDueMs([name])).toBe(NOW_MS + 9);
    expect(await tasks.otherNames([])).toContain(name);
    expect(await tasks.otherNames([name])).not.toContain(name);
  });

  test('an ended task is deleted after its retention, and its idempotency key is free', async () => {
    const { tasks, claim, newTask } = openTasks();
    const { task } = await tasks.add(newTask({ idempotencyKey: 'again' }));
    await claim();
    await tasks.settle(task.id, 1, end('succeeded'));
    await tasks.purge(NOW_MS + 99);
    expect((await tasks.add(newTask({ idempotencyKey: 'again' }))).isNew).toBe(false);
    await tasks.purge(NOW_MS + 100);
    expect((await tasks.add(newTask({ idempotencyKey: 'again' }))).isNew).toBe(true);
  });
}
