import { statusOf } from '@berth/agent-store';
import { createError } from '@berth/contract';
import { createRecordingLogger } from '@berth/testkit';
import { expect, test } from 'vitest';
import { ALICE, collect, follow, openRunFixture, turn } from './testing/run-fixture.ts';
import { createScriptedProducer } from './testing/scripted-producer.ts';

const SOON_MS = 1_000;

/** A store whose writes of turns stop reaching it, as those of a killed process do. */
async function openDyingInstance(fixture: Awaited<ReturnType<typeof openRunFixture>>) {
  let isDead = false;
  const hang = new Promise<never>(() => {});
  const { runs } = fixture.stores;
  const mortal = <Call extends (...values: never[]) => Promise<unknown>>(call: Call): Call =>
    ((...values) => (isDead ? hang : call(...values))) as Call;
  const stores = {
    ...fixture.stores,
    runs: { ...runs, append: mortal(runs.append), heartbeat: mortal(runs.heartbeat), settle: mortal(runs.settle) },
  };
  const script = createScriptedProducer();
  const engine = fixture.instance({ stores });
  return {
    script,
    engine,
    die() {
      isDead = true;
    },
  };
}

test('a turn whose instance was killed reads interrupted after 30 s, with the text that was logged', async () => {
  const fixture = await openRunFixture();
  const { script, engine, die } = await openDyingInstance(fixture);
  const reader = await engine.start(turn(script.produce, { isDetached: true }));
  script.text('logged');
  await fixture.clock.elapse(200);
  die();
  script.text(' lost');
  const other = fixture.instance();
  const seen = await follow(other, { runId: reader.runId, seq: 0 });
  await fixture.clock.elapse(25_000);
  expect([seen.text, seen.end]).toEqual(['logged', undefined]);
  await expect(other.start(turn(script.produce))).rejects.toMatchObject({ code: 'conflict' });
  const before = await fixture.stores.chats.find(ALICE, 'c1');
  expect(before?.run && statusOf(before.run, fixture.clock.nowMs() + 10_000)).toBe('interrupted');
  await fixture.clock.elapse(10_000);
  expect(seen.end).toBe('interrupted');
  const messages = await fixture.stores.chats.messages(ALICE, 'c1');
  expect(messages.map(({ content, status }) => [content, status])).toEqual([
    ['hello', undefined],
    ['logged', 'interrupted'],
  ]);
  expect((await fixture.stores.chats.find(ALICE, 'c1'))?.run?.status).toBe('interrupted');
});

test('the next turn does not wait for anybody to find that the one before it is dead', async () => {
  const fixture = await openRunFixture();
  const { script, engine, die } = await openDyingInstance(fixture);
  await engine.start(turn(script.produce, { isDetached: true }));
  script.text('partial');
  await fixture.clock.elapse(200);
  die();
  fixture.clock.advance(31_000);
  const other = fixture.instance();
  const next = createScriptedProducer();
  const seen = collect(await other.start(turn(next.produce)));
  next.text('goes on');
  next.end();
  await fixture.clock.elapse(SOON_MS);
  expect(seen.end).toBe('done');
  const messages = await fixture.stores.chats.messages(ALICE, 'c1');
  expect(messages.map(({ content }) => content)).toEqual(['hello', 'partial', 'hello', 'goes on']);
});

test('what a dead turn said is there when its chat is read', async () => {
  const fixture = await openRunFixture();
  const { script, engine, die } = await openDyingInstance(fixture);
  await engine.start(turn(script.produce, { isDetached: true }));
  script.text('partial');
  await fixture.clock.elapse(200);
  const other = fixture.instance();
  await other.reconcile(ALICE, 'c1');
  expect((await fixture.stores.chats.find(ALICE, 'c1'))?.run?.status).toBe('running');
  die();
  fixture.clock.advance(31_000);
  await other.reconcile(ALICE, 'c1');
  await other.reconcile(ALICE, 'unknown');
  const messages = await fixture.stores.chats.messages(ALICE, 'c1');
  expect(messages.map(({ content }) => content)).toEqual(['hello', 'partial']);
});

test('of many that find a dead turn at once one ends it', async () => {
  const fixture = await openRunFixture();
  const { script, engine, die } = await openDyingInstance(fixture);
  await engine.start(turn(script.produce, { isDetached: true }));
  script.text('once');
  await fixture.clock.elapse(200);
  die();
  fixture.clock.advance(31_000);
  const others = Array.from({ length: 5 }, () => fixture.instance());
  expect(await Promise.all(others.map((one) => one.stop(ALICE, 'c1')))).toEqual(others.map(() => false));
  expect(await fixture.stores.chats.messages(ALICE, 'c1')).toHaveLength(2);
});

test('an instance that was taken for dead ends its turn and stores nothing twice', async () => {
  await using fixture = await openRunFixture();
  const lines: string[] = [];
  const own = fixture.instance({ logger: createRecordingLogger(lines) });
  const script = createScriptedProducer();
  const seen = collect(await own.start(turn(script.produce)));
  script.text('one');
  await fixture.clock.elapse(200);
  // As a process that was stopped for a minute: no timer of it ran.
  const run = await fixture.stores.runs.findLast(ALICE, 'c1');
  await fixture.stores.runs.settle(run?.id ?? '', {
    attempt: 1,
    status: 'interrupted',
    messages: [{ role: 'assistant', content: 'one' }],
    costMicroUsd: 0,
    nowMs: fixture.clock.nowMs(),
    keepFramesUntilMs: fixture.clock.nowMs() + 60_000,
  });
  script.text('two');
  await fixture.clock.elapse(11_000);
  expect((await script.context).signal.aborted).toBe(true);
  // Its readers follow the chat again, and are given what is stored.
  expect(seen.end).toBe('moved');
  expect(await fixture.stores.chats.messages(ALICE, 'c1')).toHaveLength(2);
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({
      message: 'another instance took over this turn',
      chatId: 'c1',
    }),
  ]);
});

test('a disk that is full for a while loses no frame and no message', async () => {
  await using fixture = await openRunFixture();
  const lines: string[] = [];
  let isFull = false;
  const { runs } = fixture.stores;
  const failing = <Call extends (...values: never[]) => Promise<unknown>>(call: Call): Call =>
    (async (...values) => {
      if (isFull) throw createError('unavailable', 'The disk of the database is full.');
      return call(...values);
    }) as Call;
  const stores = {
    ...fixture.stores,
    runs: { ...runs, append: failing(runs.append), settle: failing(runs.settle), heartbeat: failing(runs.heartbeat) },
  };
  const engine = fixture.instance({ stores, logger: createRecordingLogger(lines) });
  const script = createScriptedProducer();
  const seen = collect(await engine.start(turn(script.produce, { isDetached: true })));
  script.text('a');
  await fixture.clock.elapse(200);
  isFull = true;
  script.text('b');
  await fixture.clock.elapse(2_000);
  script.text('c');
  script.end();
  await fixture.clock.elapse(3_000);
  expect([seen.text, seen.end]).toEqual(['abc', undefined]);
  expect(lines.filter((line) => line.includes("can't be logged"))).toHaveLength(1);
  isFull = false;
  await fixture.clock.elapse(2_000);
  expect(seen.end).toBe('done');
  const messages = await fixture.stores.chats.messages(ALICE, 'c1');
  expect(messages.at(-1)?.content).toBe('abc');
  const late = await follow(fixture.instance());
  await fixture.clock.elapse(SOON_MS);
  expect([late.text, late.end]).toEqual(['abc', 'done']);
});

test('closing lets turns end, then interrupts them, and takes no new ones', async () => {
  await using fixture = await openRunFixture();
  const engine = fixture.instance();
  const quick = createScriptedProducer();
  const slow = createScriptedProducer();
  const seen = [
    collect(await engine.start(turn(quick.produce))),
    collect(await engine.start(turn(slow.produce, { chatId: 'c2' }))),
  ];
  quick.text('quick');
  slow.text('slow');
  const closing = engine.close({ drainMs: 8_000 });
  await fixture.clock.elapse(1_000);
  await expect(engine.start(turn(slow.produce, { chatId: 'c3' }))).rejects.toMatchObject({ code: 'unavailable' });
  quick.end();
  await fixture.clock.elapse(1_000);
  expect(seen.map(({ end }) => end)).toEqual(['done', undefined]);
  await fixture.clock.elapse(7_000);
  await closing;
  expect(seen.map(({ end }) => end)).toEqual(['done', 'interrupted']);
  const messages = await fixture.stores.chats.messages(ALICE, 'c2');
  expect(messages.at(-1)).toMatchObject({ content: 'slow', status: 'interrupted' });
});
