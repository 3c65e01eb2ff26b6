import { createError } from '@berth/contract';
import { createRecordingLogger } from '@berth/testkit';
import { expect, test } from 'vitest';
import type { ProducerContext } from './run-engine.ts';
import { ALICE, collect, follow, openRunFixture, turn } from './testing/run-fixture.ts';
import { createScriptedProducer } from './testing/scripted-producer.ts';

const SOON_MS = 1_000;

/** A producer that says one word and throws when its signal aborts, as a handler does whose tool was cut off. */
async function throwsOnAbort({ signal, emit }: ProducerContext): Promise<void> {
  emit({ type: 'text', text: 'partial' });
  await new Promise((resolve) => signal.addEventListener('abort', resolve));
  throw new Error('the tool was cut off');
}

// Fails when an error after an abort counts as a failure of the turn.
test('a turn that throws because it was stopped is stopped, and shows no error', async () => {
  await using fixture = await openRunFixture();
  const lines: string[] = [];
  const engine = fixture.instance({ logger: createRecordingLogger(lines) });
  const seen = collect(await engine.start(turn(throwsOnAbort)));
  await fixture.clock.elapse(200);
  await engine.stop(ALICE, 'c1');
  await fixture.clock.elapse(SOON_MS);
  expect([seen.text, seen.end, seen.frames.length]).toEqual(['partial', 'stopped', 1]);
  expect(lines).toEqual([]);
});

// Fails when a negative or an infinite cost is added to the sum.
test('a cost that is no positive number is not added', async () => {
  await using fixture = await openRunFixture();
  const script = createScriptedProducer();
  collect(await fixture.instance().start(turn(script.produce)));
  const { addCost } = await script.context;
  for (const usd of [0.5, -0.25, Number.POSITIVE_INFINITY, 0]) addCost(usd);
  script.end();
  await fixture.clock.elapse(SOON_MS);
  expect((await fixture.stores.chats.find(ALICE, 'c1'))?.costMicroUsd).toBe(500_000);
});

// Fails when the engine gives up while its process lives, or doesn't while it closes; or when the log doesn't name the chat.
test('the end of a turn waits for the store, and a process that closes gives it up', async () => {
  await using fixture = await openRunFixture();
  const lines: string[] = [];
  const settle = async () => Promise.reject(createError('unavailable', 'The disk of the database is full.'));
  const stores = { ...fixture.stores, runs: { ...fixture.stores.runs, settle } };
  const engine = fixture.instance({ stores, logger: createRecordingLogger(lines) });
  const script = createScriptedProducer();
  const seen = collect(await engine.start(turn(script.produce)));
  script.text('a');
  script.end();
  await fixture.clock.elapse(60_000);
  expect([seen.text, seen.end]).toEqual(['a', undefined]);
  const closing = engine.close();
  await fixture.clock.elapse(1_000);
  await closing;
  expect(seen.end).toBe('interrupted');
  const told = lines.map((line) => JSON.parse(line)).filter(({ message }) => message.startsWith('the end of a turn'));
  expect(told.map(({ attempt }) => attempt)).toEqual([1, 21, 41, 61]);
  expect(told[0]).toMatchObject({ chatId: 'c1', error: expect.stringContaining('disk of the database is full') });
});

// Fails when the next attempt takes the end that was stored for one of another instance.
test('an end that was stored although its answer was lost is the end of the turn', async () => {
  await using fixture = await openRunFixture();
  const lines: string[] = [];
  const { runs } = fixture.stores;
  let isFirst = true;
  const settle: typeof runs.settle = async (...values) => {
    const isDone = await runs.settle(...values);
    if (!isFirst) return isDone;
    isFirst = false;
    throw createError('unavailable', "The agent can't reach its database. Try again.");
  };
  const stores = { ...fixture.stores, runs: { ...runs, settle } };
  const engine = fixture.instance({ stores, logger: createRecordingLogger(lines) });
  const script = createScriptedProducer();
  const seen = collect(await engine.start(turn(script.produce)));
  script.text('a');
  script.end();
  await fixture.clock.elapse(2_000);
  expect([seen.text, seen.end, lines.length]).toEqual(['a', 'done', 1]);
  expect(await fixture.stores.chats.messages(ALICE, 'c1')).toHaveLength(2);
});

// Fails when a reader's patience is measured by all bytes of the run, not by those that came since it took a batch.
test('a reader that took much and then waits with little is not cut off sooner', async () => {
  await using fixture = await openRunFixture();
  const script = createScriptedProducer();
  const slow = await fixture.instance().start(turn(script.produce));
  const taking = slow[Symbol.asyncIterator]();
  for (let count = 0; count < 40; count++) {
    script.yield({ type: 'code', code: 'x'.repeat(65_536) });
    await fixture.clock.elapse(0);
    await taking.next();
  }
  script.text('little');
  await fixture.clock.elapse(20_000);
  expect(await Promise.race([slow.ended, 'open'])).toBe('open');
  await fixture.clock.elapse(11_000);
  expect(await slow.ended).toBe('too_slow');
});

// Fails when a reader for whom nothing waits is cut off.
test('a reader that has everything and asks for nothing is not slow', async () => {
  await using fixture = await openRunFixture();
  const script = createScriptedProducer();
  const reader = await fixture.instance().start(turn(script.produce));
  script.text('all');
  await fixture.clock.elapse(0);
  await reader[Symbol.asyncIterator]().next();
  await fixture.clock.elapse(60_000);
  expect(await Promise.race([reader.ended, 'open'])).toBe('open');
});

// Fails when the error is swallowed, or the reader stays open after it.
test('a log that cannot be read ends its reader with the error', async () => {
  await using fixture = await openRunFixture();
  const script = createScriptedProducer();
  await fixture.instance().start(turn(script.produce, { isDetached: true }));
  script.text('a');
  await fixture.clock.elapse(200);
  const failure = createError('unavailable', 'The database is away.');
  const runs = { ...fixture.stores.runs, frames: async () => Promise.reject(failure) };
  const reader = await fixture.instance({ stores: { ...fixture.stores, runs } }).follow(ALICE, 'c1');
  await expect(reader?.[Symbol.asyncIterator]().next()).rejects.toBe(failure);
  expect(await reader?.ended).toBe('left');
});

// Fails when leaving the loop does not close the reader.
test('leaving the loop over a reader leaves the turn', async () => {
  await using fixture = await openRunFixture();
  const script = createScriptedProducer();
  const reader = await fixture.instance().start(turn(script.produce));
  script.text('a');
  for await (const _frames of reader) break;
  expect(await reader.ended).toBe('left');
  await fixture.clock.elapse(SOON_MS);
  expect((await script.context).signal.aborted).toBe(true);
});

// Fails when a process that was stopped for a while takes its own turn for another's that is dead.
test('a process that was stopped for a minute goes on with its turn', async () => {
  await using fixture = await openRunFixture();
  const engine = fixture.instance();
  const script = createScriptedProducer();
  const seen = collect(await engine.start(turn(script.produce)));
  await fixture.clock.elapse(SOON_MS);
  fixture.clock.jump(60_000);
  await engine.reconcile(ALICE, 'c1');
  expect(await engine.stop(ALICE, 'none')).toBe(false);
  script.text('goes on');
  script.end();
  await fixture.clock.elapse(SOON_MS);
  expect([seen.text, seen.end]).toEqual(['goes on', 'done']);
});

// Fails when a turn that was being begun while the engine closed goes on, or when a timer outlives the engine.
test('closing ends a turn that was just being begun, readers of other instances, and every timer', async () => {
  await using fixture = await openRunFixture();
  const own = fixture.instance();
  const script = createScriptedProducer();
  await own.start(turn(script.produce, { isDetached: true }));
  await fixture.clock.elapse(200);
  const other = fixture.instance();
  const follower = await follow(other);
  const late = createScriptedProducer();
  const starting = other.start(turn(late.produce, { chatId: 'c2', isDetached: true }));
  const closing = other.close({ drainMs: 60_000 });
  const seen = collect(await starting);
  await fixture.clock.elapse(SOON_MS);
  await closing;
  expect([seen.end, follower.end]).toEqual(['interrupted', 'left']);
  script.end();
  await fixture.clock.elapse(SOON_MS);
  await own.close();
  expect(fixture.clock.pending).toBe(0);
});

// Fails when every instance that finds the run says so.
test('one line of the log says which instance lost a turn', async () => {
  const fixture = await openRunFixture();
  const script = createScriptedProducer();
  const hang = new Promise<never>(() => {});
  let isDead = false;
  const { runs } = fixture.stores;
  const heartbeat: typeof runs.heartbeat = (...values) => (isDead ? hang : runs.heartbeat(...values));
  const dying = fixture.instance({ stores: { ...fixture.stores, runs: { ...runs, heartbeat } } });
  await dying.start(turn(script.produce, { isDetached: true }));
  await fixture.clock.elapse(SOON_MS);
  isDead = true;
  fixture.clock.jump(31_000);
  const lines: string[] = [];
  const others = [1, 2, 3].map(() => fixture.instance({ logger: createRecordingLogger(lines) }));
  await Promise.all(others.map((one) => one.reconcile(ALICE, 'c1')));
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ message: 'a turn was interrupted', chatId: 'c1', instance: 'instance-1' }),
  ]);
});
