import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { createError } from '@berth/contract';
import { createSilentLogger } from '@berth/kit';
import { createFakeClock, createFakeObjectStore, waitUntil } from '@berth/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { createKeptBackups } from './kept-backups.ts';

const HOUR_MS = 3_600_000;

function createFixture({ keep = 2 } = {}) {
  const clock = createFakeClock(Date.UTC(2026, 0, 1, 12));
  const store = createFakeObjectStore({ clock });
  const state = { made: 0, failure: undefined as Error | undefined, isElsewhere: false };
  const open = () => {
    const kept = createKeptBackups({
      ...{ store, clock, logger: createSilentLogger(), keep, schedule: '0 3 * * *', bucket: 'off-site' },
      leases: {
        run: async (_name, work) =>
          state.isElsewhere
            ? undefined
            : { value: await work({ signal: new AbortController().signal, require: async () => {} }) },
      },
      async createBackup() {
        if (state.failure) throw state.failure;
        state.made++;
        return Readable.from([`backup ${state.made}`]);
      },
    });
    onTestFinished(() => kept.close());
    return kept;
  };
  /** Lets time pass in steps, so that what a timer starts is done before the next one. */
  const pass = async (hours: number) => {
    for (let hour = 0; hour < hours; hour++) {
      clock.advance(HOUR_MS);
      await new Promise((resolve) => setImmediate(resolve));
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  return { clock, store, state, open, pass };
}

const names = async (kept: ReturnType<typeof createKeptBackups>) => (await kept.list()).map(({ name }) => name);

test('the first is made at the start, the next ones on time, and the oldest go', async () => {
  const { state, open, pass } = createFixture();
  const kept = open();
  kept.start();
  await waitUntil('the first is made', () => state.made === 1);
  await pass(14);
  expect(state.made).toBe(1);
  await pass(2);
  expect(await names(kept)).toEqual(['berth-2026-01-02T03-00-00Z.tar.zst', 'berth-2026-01-01T12-00-00Z.tar.zst']);
  await pass(24);
  expect(await names(kept)).toEqual(['berth-2026-01-03T03-00-00Z.tar.zst', 'berth-2026-01-02T03-00-00Z.tar.zst']);
  expect(await text(await kept.read('berth-2026-01-03T03-00-00Z.tar.zst'))).toBe('backup 3');
});

test('a start makes what was missed while the server was down, and nothing else', async () => {
  const { state, open, pass, clock } = createFixture();
  const first = open();
  await first.create();
  first.close();
  clock.advance(HOUR_MS);
  const second = open();
  second.start();
  await pass(1);
  second.close();
  expect(state.made).toBe(1);
  clock.advance(48 * HOUR_MS);
  const later = open();
  later.start();
  await waitUntil('the missed one is made', () => state.made === 2);
});

test('what fails is tried again, told of meanwhile, and removes nothing', async () => {
  const { state, open, pass } = createFixture({ keep: 1 });
  const kept = open();
  await kept.create();
  state.failure = createError('unavailable', 'The disk is full.');
  kept.start();
  await pass(24);
  expect(await kept.capability()).toMatchObject({
    status: 'partial',
    detail: expect.stringContaining('The disk is full.'),
  });
  expect(await names(kept)).toEqual(['berth-2026-01-01T12-00-00Z.tar.zst']);
  state.failure = undefined;
  await pass(2);
  expect(state.made).toBe(2);
  expect((await names(kept)).length).toBe(1);
  expect(await kept.capability()).toMatchObject({ status: 'enforced' });
});

test('of several servers one makes it', async () => {
  const { state, open, pass } = createFixture();
  state.isElsewhere = true;
  const kept = open();
  kept.start();
  await pass(48);
  expect(state.made).toBe(0);
  await expect(kept.create()).rejects.toMatchObject({ code: 'conflict' });
});

test('other objects of the bucket are neither listed, read nor removed', async () => {
  const { store, open } = createFixture({ keep: 1 });
  const place = { account: 'berth', storageId: 'backups' };
  for (const name of ['berth-notes.txt', 'berth-2026-01-01T12-00-00Z.tar.zst.part']) {
    await store.put(place, name, Readable.from(['mine']));
  }
  const kept = open();
  await kept.create();
  expect((await kept.list()).length).toBe(1);
  expect(await store.find(place, 'berth-notes.txt')).toBeDefined();
  for (const name of ['berth-notes.txt', '../x', '']) {
    await expect(kept.read(name)).rejects.toMatchObject({ code: 'not_found' });
  }
});

test('without a right to delete, backups are made all the same', async () => {
  const { store, open } = createFixture({ keep: 1 });
  store.delete = async () => {
    throw createError('unavailable', 'Access denied.');
  };
  const kept = open();
  await kept.create();
  expect(await kept.capability()).toMatchObject({ status: 'enforced' });
});
