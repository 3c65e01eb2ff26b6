import { expect, test } from 'vitest';
import type { BeginRun, RunSettlement } from '../ports/run-store.ts';
import { NOW_MS, type StoreFixture } from './store-fixture.ts';

const END: RunSettlement = {
  attempt: 1,
  status: 'done',
  messages: [{ role: 'assistant', content: 'answer' }],
  costMicroUsd: 1_500,
  nowMs: NOW_MS + 10,
  keepFramesUntilMs: NOW_MS + 1_000,
};

/** Runs the contract tests of a {@link RunStore}. */
export function describeRunStore(open: () => StoreFixture): void {
  test('a run starts with its message and creates the chat', async () => {
    const { stores, ann, beginOf } = open();
    const begin = beginOf();
    expect(await stores.runs.begin(begin)).toMatchObject({ result: 'begun' });
    const run = { id: begin.id, status: 'running', startedAtMs: NOW_MS, heartbeatAtMs: NOW_MS } as const;
    expect(await stores.chats.find(ann, 'c1')).toMatchObject({ title: 'hello', updatedAtMs: NOW_MS, run });
    expect(await stores.chats.messages(ann, 'c1')).toMatchObject([{ seq: 1, content: 'hello', runId: begin.id }]);
    const record = { ...run, owner: ann, chatId: 'c1', instance: begin.instance };
    const progress = { attempt: 1, resumedAfter: [], costMicroUsd: 0 };
    const stored = { ...record, ...progress, isStopRequested: false, hasFrames: true };
    expect(await stores.runs.find(ann, begin.id)).toEqual(stored);
    expect(await stores.runs.findLast(ann, 'c1')).toEqual(stored);
  });

  // Fails when a message is taken for the first one because its chat's row is new, or not because the row was there before.
  test('a run knows whether its message is the first one of the chat', async () => {
    const { stores, ann, beginOf } = open();
    const told: unknown[] = [];
    const begin = async (run: BeginRun) => {
      const begun = await stores.runs.begin(run, (early) => told.push(early));
      await stores.runs.settle(run.id, END);
      return begun;
    };
    await stores.chats.patch(ann, 'named', { title: 'Named' }, NOW_MS);
    const results = [
      await begin(beginOf()),
      await begin(beginOf()),
      await begin(beginOf({ chatId: 'named' })),
      await begin(beginOf({ chatId: 'named' })),
    ];
    expect(results.map((result) => 'isFirstMessage' in result && result.isFirstMessage)).toEqual([
      true,
      false,
      true,
      false,
    ]);
    // Told early or not, by the kind of the database.
    expect([[], results]).toContainEqual(told);
    const live = beginOf();
    await stores.runs.begin(live);
    await stores.runs.begin(beginOf(), () => told.push('busy'));
    expect(told).not.toContain('busy');
  });

  test('the first title stays, and what was said moves the chat', async () => {
    const { stores, ann, beginOf } = open();
    const first = beginOf();
    await stores.runs.begin(first);
    await stores.runs.settle(first.id, END);
    const message = { message: { role: 'user', content: 'more' }, title: 'more' } as const;
    await stores.runs.begin(beginOf({ message, nowMs: NOW_MS + 20 }));
    expect(await stores.chats.find(ann, 'c1')).toMatchObject({ title: 'hello', updatedAtMs: NOW_MS + 20 });
    await stores.chats.patch(ann, 'named', { title: 'Named' }, NOW_MS);
    await stores.runs.begin(beginOf({ chatId: 'named' }));
    expect((await stores.chats.find(ann, 'named'))?.title).toBe('Named');
  });

  test('a chat has one live run, of whoever comes first, and the others leave nothing', async () => {
    const { stores, ann, bob, beginOf } = open();
    const begins = Array.from({ length: 10 }, () => beginOf());
    const results = await Promise.all(begins.map((begin) => stores.runs.begin(begin)));
    const winner = begins[results.findIndex(({ result }) => result === 'begun')];
    expect(results.map(({ result }) => result).sort()).toEqual(['begun', ...Array(9).fill('busy')].sort());
    for (const result of results) if (result.result === 'busy') expect(result.run.id).toBe(winner?.id);
    expect(await stores.chats.messages(ann, 'c1')).toHaveLength(1);
    expect(await stores.runs.begin(beginOf({ owner: bob }))).toMatchObject({ result: 'begun' });
    expect(await stores.runs.begin(beginOf({ chatId: 'c2' }))).toMatchObject({ result: 'begun' });
  });

  test('a stale run blocks the chat until it is taken over and settled', async () => {
    const { stores, beginOf } = open();
    const first = beginOf();
    await stores.runs.begin(first);
    const nowMs = NOW_MS + 31_000;
    const next = beginOf({ nowMs, staleBeforeMs: nowMs - 30_000 });
    expect(await stores.runs.begin(next)).toMatchObject({ result: 'stale', run: { id: first.id } });
    expect((await stores.runs.listStale(nowMs - 30_000, 1_000)).map(({ id }) => id)).toContain(first.id);
    const staleBeforeMs = nowMs - 30_000;
    const taken = await stores.runs.takeOver(first.id, {
      ...{ attempt: 1, instance: 'other', staleBeforeMs, nowMs },
    });
    expect(taken).toMatchObject({ id: first.id, attempt: 2, instance: 'other', heartbeatAtMs: nowMs });
    expect(await stores.runs.begin(next)).toMatchObject({ result: 'busy' });
    expect(await stores.runs.settle(first.id, { ...END, attempt: 2, status: 'interrupted' })).toBe(true);
    expect(await stores.runs.begin(next)).toMatchObject({ result: 'begun' });
  });

  test('a run with a recent heartbeat is not taken over', async () => {
    const { stores, ann, beginOf } = open();
    const begin = beginOf();
    const { id, instance } = begin;
    await stores.runs.begin(begin);
    expect(await stores.runs.heartbeat([id], NOW_MS + 29_000, instance)).toEqual([]);
    const other = { attempt: 1, instance: 'other', nowMs: NOW_MS + 30_000, staleBeforeMs: NOW_MS + 1_000 };
    expect(await stores.runs.takeOver(id, other)).toBeUndefined();
    expect(await stores.runs.find(ann, id)).toMatchObject({ status: 'running', instance, attempt: 1 });
  });

  // Fails when one of the writes doesn't check the attempt, or a heartbeat doesn't check the instance.
  test('what the process before still writes after a takeover has no effect', async () => {
    const { stores, ann, beginOf } = open();
    const begin = beginOf({ request: '{"auto":true}' });
    const { id, instance } = begin;
    await stores.runs.begin(begin);
    await stores.runs.append([{ runId: id, attempt: 1, firstSeq: 1, frames: ['1', '2'], costMicroUsd: 70 }]);
    const nowMs = NOW_MS + 31_000;
    const takeover = { attempt: 1, instance: 'other', nowMs, staleBeforeMs: nowMs - 30_000 };
    const taken = await Promise.all([stores.runs.takeOver(id, takeover), stores.runs.takeOver(id, takeover)]);
    expect(taken.filter((one) => one !== undefined)).toEqual([
      expect.objectContaining({ attempt: 2, resumedAfter: [2], request: '{"auto":true}', costMicroUsd: 70 }),
    ]);
    const late = { runId: id, attempt: 1, firstSeq: 3, frames: ['late'], costMicroUsd: 900 };
    const fresh = { runId: id, attempt: 2, firstSeq: 3, frames: ['3'], costMicroUsd: 100 };
    expect(await stores.runs.append([late, fresh])).toEqual([id]);
    expect(await stores.runs.heartbeat([id], nowMs + 1, instance)).toEqual([id]);
    expect(await stores.runs.heartbeat([id], nowMs + 2, 'other')).toEqual([]);
    expect(await stores.runs.settle(id, END)).toBe(false);
    expect(await stores.runs.release(id, 1)).toBe(false);
    const frames = (await stores.runs.frames(ann, id, 0, 10)).flatMap((batch) => batch.frames);
    expect(frames).toEqual(['1', '2', '3']);
    expect(await stores.runs.find(ann, id)).toMatchObject({ costMicroUsd: 100, heartbeatAtMs: nowMs + 2 });
    expect(await stores.runs.settle(id, { ...END, attempt: 2, costMicroUsd: 120 })).toBe(true);
    expect(await stores.chats.find(ann, 'c1')).toMatchObject({ costMicroUsd: 120 });
    expect((await stores.runs.find(ann, id))?.request).toBeUndefined();
  });

  // Fails when the settlement checks neither the heartbeat nor the last frame, or leaves the attempt's cursors valid.
  test('a stale run is settled in place of its process, with exactly what is logged', async () => {
    const { stores, ann, beginOf } = open();
    const begin = beginOf();
    const { id } = begin;
    await stores.runs.begin(begin);
    await stores.runs.append([{ runId: id, attempt: 1, firstSeq: 1, frames: ['1', '2'] }]);
    const end = { ...END, status: 'interrupted' } as const;
    const settle = (beforeMs: number, lastSeq: number) =>
      stores.runs.settle(id, { ...end, stale: { beforeMs, lastSeq } });
    expect(await settle(NOW_MS, 2)).toBe(false);
    expect(await settle(NOW_MS + 1, 1)).toBe(false);
    expect(await stores.runs.find(ann, id)).toMatchObject({ status: 'running', attempt: 1 });
    const settled = await Promise.all([settle(NOW_MS + 1, 2), settle(NOW_MS + 1, 2)]);
    expect(settled.sort()).toEqual([false, true]);
    expect(await stores.runs.find(ann, id)).toMatchObject({ status: 'interrupted', attempt: 2, resumedAfter: [2] });
    expect(await stores.chats.messages(ann, 'c1')).toHaveLength(2);
  });

  test('a released run is stale at once', async () => {
    const { stores, beginOf } = open();
    const begin = beginOf();
    await stores.runs.begin(begin);
    expect(await stores.runs.release(begin.id, 1)).toBe(true);
    const takeover = { attempt: 1, instance: 'other', nowMs: NOW_MS + 1, staleBeforeMs: NOW_MS - 30_000 };
    expect(await stores.runs.takeOver(begin.id, takeover)).toMatchObject({ attempt: 2 });
  });

  test('a run that goes on with an answer becomes the last one of its chat, which must be there', async () => {
    const { stores, ann, beginOf } = open();
    const first = beginOf();
    await stores.runs.begin(first);
    await stores.runs.settle(first.id, END);
    const { message: _message, ...next } = beginOf({ nowMs: NOW_MS + 20, isContinuation: true });
    expect(await stores.runs.begin(next)).toMatchObject({ result: 'begun' });
    expect(await stores.chats.find(ann, 'c1')).toMatchObject({ run: { id: next.id }, updatedAtMs: NOW_MS });
    await stores.runs.settle(next.id, END);
    await stores.chats.trash(ann, 'c1', NOW_MS);
    await expect(stores.runs.begin({ ...next, id: `${next.id}-2` })).rejects.toMatchObject({ code: 'conflict' });
  });

  test('frames are read in order from any position', async () => {
    const { stores, ann, bob, beginOf } = open();
    const { id } = beginOf();
    await stores.runs.begin(beginOf({ id }));
    await stores.runs.append([
      { runId: id, attempt: 1, firstSeq: 1, frames: ['{"a":1}', '"two\\n"'] },
      { runId: id, attempt: 1, firstSeq: 3, frames: ['3'] },
    ]);
    await stores.runs.append([
      { runId: id, attempt: 1, firstSeq: 4, frames: ['4', '5'] },
      { runId: `${id}-unknown`, attempt: 1, firstSeq: 1, frames: ['x'] },
    ]);
    expect(await stores.runs.frames(ann, id, 0, 10)).toEqual([
      { firstSeq: 1, frames: ['{"a":1}', '"two\\n"'] },
      { firstSeq: 3, frames: ['3'] },
      { firstSeq: 4, frames: ['4', '5'] },
    ]);
    expect((await stores.runs.frames(ann, id, 4, 10)).map(({ firstSeq }) => firstSeq)).toEqual([4]);
    expect((await stores.runs.frames(ann, id, 0, 2)).map(({ firstSeq }) => firstSeq)).toEqual([1, 3]);
    expect(await stores.runs.frames(ann, id, 5, 10)).toEqual([]);
    expect(await stores.runs.frames(bob, id, 0, 10)).toEqual([]);
    await stores.runs.append([]);
  });

  test('the end is stored once: status, messages, cost and the last frames together', async () => {
    const { stores, ann, beginOf } = open();
    const { id } = beginOf();
    await stores.runs.begin(beginOf({ id }));
    const end = { ...END, frames: { firstSeq: 1, frames: ['1', '2'] } };
    const settled = await Promise.all([stores.runs.settle(id, end), stores.runs.settle(id, end)]);
    expect(settled.sort()).toEqual([false, true]);
    await stores.runs.append([{ runId: id, attempt: 1, firstSeq: 3, frames: ['late'] }]);
    expect(await stores.runs.frames(ann, id, 0, 10)).toEqual([{ firstSeq: 1, frames: ['1', '2'] }]);
    const messages = await stores.chats.messages(ann, 'c1');
    expect(messages.map(({ content }) => content)).toEqual(['hello', 'answer']);
    const chat = await stores.chats.find(ann, 'c1');
    expect(chat).toMatchObject({ costMicroUsd: 1_500, updatedAtMs: NOW_MS, run: { id, status: 'done' } });
    expect(await stores.runs.heartbeat([id], NOW_MS, beginOf().instance)).toEqual([id]);
    expect(await stores.runs.requestStop(ann, id)).toBe(false);
  });

  test('of a chat that is not stored, or is gone, the run ends all the same', async () => {
    const { stores, ann, beginOf } = open();
    const { message: _message, ...begin } = beginOf({ chatId: 'unstored' });
    await stores.runs.begin(begin);
    expect(await stores.runs.settle(begin.id, END)).toBe(true);
    expect(await stores.chats.find(ann, 'unstored')).toBeUndefined();
    const purged = beginOf({ chatId: 'purged' });
    await stores.runs.begin(purged);
    await stores.chats.trash(ann, 'purged', NOW_MS);
    await stores.chats.purge(ann, { chatId: 'purged', beforeMs: NOW_MS + 1 });
    expect(await stores.runs.settle(purged.id, END)).toBe(true);
    expect(await stores.chats.messages(ann, 'purged')).toEqual([]);
  });

  test('a chat in the trash starts no run', async () => {
    const { stores, ann, beginOf } = open();
    const first = beginOf();
    await stores.runs.begin(first);
    await stores.runs.settle(first.id, END);
    await stores.chats.trash(ann, 'c1', NOW_MS);
    await expect(stores.runs.begin(beginOf())).rejects.toMatchObject({ code: 'conflict' });
    await stores.chats.restore(ann, 'c1');
    expect(await stores.runs.begin(beginOf())).toMatchObject({ result: 'begun' });
  });

  test('a wish to stop reaches the instance of the run, and only from its owner', async () => {
    const { stores, ann, bob, beginOf } = open();
    const mine = beginOf();
    const theirs = beginOf({ chatId: 'c2', instance: `${mine.instance}-other` });
    await stores.runs.begin(mine);
    await stores.runs.begin(theirs);
    expect(await stores.runs.requestStop(bob, mine.id)).toBe(false);
    expect(await stores.runs.stopRequests(mine.instance)).toEqual([]);
    expect(await stores.runs.requestStop(ann, mine.id)).toBe(true);
    expect(await stores.runs.stopRequests(mine.instance)).toEqual([mine.id]);
    expect(await stores.runs.stopRequests(theirs.instance)).toEqual([]);
    await stores.runs.settle(mine.id, { ...END, status: 'stopped' });
    expect(await stores.runs.stopRequests(mine.instance)).toEqual([]);
  });

  test('frames are deleted after their retention; the last run of a chat keeps its record', async () => {
    const { stores, ann, beginOf } = open();
    const first = beginOf();
    await stores.runs.begin(first);
    await stores.runs.settle(first.id, { ...END, frames: { firstSeq: 1, frames: ['1'] } });
    const last = beginOf({ nowMs: NOW_MS + 20 });
    await stores.runs.begin(last);
    await stores.runs.settle(last.id, { ...END, frames: { firstSeq: 1, frames: ['1'] } });
    await stores.runs.purgeFrames(NOW_MS + 999);
    expect((await stores.runs.findLast(ann, 'c1'))?.hasFrames).toBe(true);
    expect(await stores.runs.frames(ann, first.id, 0, 10)).toHaveLength(1);
    await stores.runs.purgeFrames(NOW_MS + 1_000);
    expect(await stores.runs.frames(ann, last.id, 0, 10)).toEqual([]);
    expect(await stores.runs.find(ann, first.id)).toBeUndefined();
    expect(await stores.runs.findLast(ann, 'c1')).toMatchObject({ id: last.id, status: 'done', hasFrames: false });
  });
}
