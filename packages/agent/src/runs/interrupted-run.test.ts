import { statusOf } from '@berth/agent-store';
import { createError } from '@berth/contract';
import { createRecordingLogger } from '@berth/testkit';
import { expect, test } from 'vitest';
import { ALICE, collect, follow, openRunWorld, turn } from './testing/run-world.ts';
import { createScriptedProducer } from './testing/scripted-producer.ts';

const SOON_MS = 1_000;

/** A store whose writes of turns stop reaching it, as those of a killed process do. */
async function openDyingInstance(world: Awaited<ReturnType<typeof openRunWorld>>) {
  let isDead = false;
  const hang = new Promise<never>(() => {});
  const { runs } = world.stores;
  const mortal = <Call extends (...values: never[]) => Promise<unknown>>(call: Call): Call =>
    ((...values) => (isDead ? hang : call(...values))) as Call;
  const stores = {
    ...world.stores,
    runs: { ...runs, append: mortal(runs.append), heartbeat: mortal(runs.heartbeat), settle: mortal(runs.settle) },
  };
  const script = createScriptedProducer();
  const engine = world.instance({ stores });
  return {
    ...{ script, engine },
    die() {
      isDead = true;
    },
  };
}

test('a turn whose instance was killed reads interrupted after 30 s, with the text that was logged', async () => {
  const world = await openRunWorld();
  const { script, engine, die } = await openDyingInstance(world);
  const reader = await engine.start(turn(script.produce, { isDetached: true }));
  script.text('logged');
  await world.clock.elapse(200);
  die();
  script.text(' lost');
  const other = world.instance();
  const seen = await follow(other, { runId: reader.runId, seq: 0 });
  await world.clock.elapse(25_000);
  expect([seen.text, seen.end]).toEqual(['logged', undefined]);
  await expect(other.start(turn(script.produce))).rejects.toMatchObject({ code: 'conflict' });
  const before = await world.stores.chats.find(ALICE, 'c1');
  expect(before?.run && statusOf(before.run, world.clock.nowMs() + 10_000)).toBe('interrupted');
  await world.clock.elapse(10_000);
  expect(seen.end).toBe('interrupted');
  const messages = await world.stores.chats.messages(ALICE, 'c1');
  expect(messages.map(({ content, status }) => [content, status])).toEqual([
    ['hello', undefined],
    ['logged', 'interrupted'],
  ]);
  expect((await world.stores.chats.find(ALICE, 'c1'))?.run?.status).toBe('interrupted');
});

test('the next turn does not wait for anybody to find that the one before it is dead', async () => {
  const world = await openRunWorld();
  const { script, engine, die } = await openDyingInstance(world);
  await engine.start(turn(script.produce, { isDetached: true }));
  script.text('partial');
  await world.clock.elapse(200);
  die();
  world.clock.advance(31_000);
  const other = world.instance();
  const next = createScriptedProducer();
  const seen = collect(await other.start(turn(next.produce)));
  next.text('goes on');
  next.end();
  await world.clock.elapse(SOON_MS);
  expect(seen.end).toBe('done');
  const messages = await world.stores.chats.messages(ALICE, 'c1');
  expect(messages.map(({ content }) => content)).toEqual(['hello', 'partial', 'hello', 'goes on']);
});

test('what a dead turn said is there when its chat is read', async () => {
  const world = await openRunWorld();
  const { script, engine, die } = await openDyingInstance(world);
  await engine.start(turn(script.produce, { isDetached: true }));
  script.text('partial');
  await world.clock.elapse(200);
  const other = world.instance();
  await other.reconcile(ALICE, 'c1');
  expect((await world.stores.chats.find(ALICE, 'c1'))?.run?.status).toBe('running');
  die();
  world.clock.advance(31_000);
  await other.reconcile(ALICE, 'c1');
  await other.reconcile(ALICE, 'unknown');
  const messages = await world.stores.chats.messages(ALICE, 'c1');
  expect(messages.map(({ content }) => content)).toEqual(['hello', 'partial']);
});

test('of many that find a dead turn at once one ends it', async () => {
  const world = await openRunWorld();
  const { script, engine, die } = await openDyingInstance(world);
  await engine.start(turn(script.produce, { isDetached: true }));
  script.text('once');
  await world.clock.elapse(200);
  die();
  world.clock.advance(31_000);
  const others = Array.from({ length: 5 }, () => world.instance());
  expect(await Promise.all(others.map((one) => one.stop(ALICE, 'c1')))).toEqual(others.map(() => false));
  expect(await world.stores.chats.messages(ALICE, 'c1')).toHaveLength(2);
});

test('an instance that was taken for dead ends its turn and stores nothing twice', async () => {
  await using world = await openRunWorld();
  const own = world.instance();
  const script = createScriptedProducer();
  const seen = collect(await own.start(turn(script.produce)));
  script.text('one');
  await world.clock.elapse(200);
  // As a process that was stopped for a minute: no timer of it ran.
  const run = await world.stores.runs.findLast(ALICE, 'c1');
  await world.stores.runs.settle(run?.id ?? '', {
    ...{ status: 'interrupted', messages: [{ role: 'assistant', content: 'one' }], costMicroUsd: 0 },
    ...{ nowMs: world.clock.nowMs(), keepFramesUntilMs: world.clock.nowMs() + 60_000 },
  });
  script.text('two');
  await world.clock.elapse(11_000);
  expect((await script.context).signal.aborted).toBe(true);
  expect(seen.end).toBe('interrupted');
  expect(await world.stores.chats.messages(ALICE, 'c1')).toHaveLength(2);
});

test('a disk that is full for a while loses no frame and no message', async () => {
  await using world = await openRunWorld();
  const lines: string[] = [];
  let isFull = false;
  const { runs } = world.stores;
  const failing = <Call extends (...values: never[]) => Promise<unknown>>(call: Call): Call =>
    (async (...values) => {
      if (isFull) throw createError('unavailable', 'The disk of the database is full.');
      return call(...values);
    }) as Call;
  const stores = {
    ...world.stores,
    runs: { ...runs, append: failing(runs.append), settle: failing(runs.settle), heartbeat: failing(runs.heartbeat) },
  };
  const engine = world.instance({ stores, logger: createRecordingLogger(lines) });
  const script = createScriptedProducer();
  const seen = collect(await engine.start(turn(script.produce, { isDetached: true })));
  script.text('a');
  await world.clock.elapse(200);
  isFull = true;
  script.text('b');
  await world.clock.elapse(2_000);
  script.text('c');
  script.end();
  await world.clock.elapse(3_000);
  expect([seen.text, seen.end]).toEqual(['abc', undefined]);
  expect(lines.filter((line) => line.includes('can not be logged'))).toHaveLength(1);
  isFull = false;
  await world.clock.elapse(2_000);
  expect(seen.end).toBe('done');
  const messages = await world.stores.chats.messages(ALICE, 'c1');
  expect(messages.at(-1)?.content).toBe('abc');
  const late = await follow(world.instance());
  await world.clock.elapse(SOON_MS);
  expect([late.text, late.end]).toEqual(['abc', 'done']);
});

test('closing lets turns end, then interrupts them, and takes no new ones', async () => {
  await using world = await openRunWorld();
  const engine = world.instance();
  const quick = createScriptedProducer();
  const slow = createScriptedProducer();
  const seen = [
    collect(await engine.start(turn(quick.produce))),
    collect(await engine.start(turn(slow.produce, { chatId: 'c2' }))),
  ];
  quick.text('quick');
  slow.text('slow');
  const closing = engine.close({ drainMs: 8_000 });
  await world.clock.elapse(1_000);
  await expect(engine.start(turn(slow.produce, { chatId: 'c3' }))).rejects.toMatchObject({ code: 'unavailable' });
  quick.end();
  await world.clock.elapse(1_000);
  expect(seen.map(({ end }) => end)).toEqual(['done', undefined]);
  await world.clock.elapse(7_000);
  await closing;
  expect(seen.map(({ end }) => end)).toEqual(['done', 'interrupted']);
  const messages = await world.stores.chats.messages(ALICE, 'c2');
  expect(messages.at(-1)).toMatchObject({ content: 'slow', status: 'interrupted' });
});
