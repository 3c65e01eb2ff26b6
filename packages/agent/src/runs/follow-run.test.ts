import { expect, test } from 'vitest';
import { ALICE, collect, follow, openRunFixture, turn } from './testing/run-fixture.ts';
import { createScriptedProducer } from './testing/scripted-producer.ts';

const SOON_MS = 1_000;

test('a turn is followed from any frame on, on its instance and on another', async () => {
  await using fixture = await openRunFixture();
  const own = fixture.instance();
  const script = createScriptedProducer();
  const reader = await own.start(turn(script.produce, { isDetached: true }));
  for (const text of ['a', 'b', 'c', 'd']) {
    script.text(text);
    await fixture.clock.elapse(200);
  }
  const engines = [own, fixture.instance()];
  const followers = await Promise.all(
    engines.flatMap((engine) =>
      [0, 1, 3, 4].map(async (seq) => {
        const follower = await engine.follow(ALICE, 'c1', { runId: reader.runId, seq });
        return { seq, seen: follower && collect(follower) };
      }),
    ),
  );
  script.text('e');
  script.end();
  await fixture.clock.elapse(SOON_MS);
  for (const { seq, seen } of followers) {
    expect(seen?.text).toBe('abcde'.slice(seq));
    expect(seen?.frames[0]?.seq).toBe(seq + 1);
    expect(seen?.end).toBe('done');
  }
});

test('a cursor of another run means from the beginning, and one past the end nothing but the end', async () => {
  await using fixture = await openRunFixture();
  const engine = fixture.instance();
  const script = createScriptedProducer();
  const { runId } = await engine.start(turn(script.produce, { isDetached: true }));
  script.text('all');
  script.end();
  await fixture.clock.elapse(SOON_MS);
  const other = await follow(engine, { runId: 'run_other', seq: 7 });
  const past = await follow(engine, { runId, seq: 99 });
  await fixture.clock.elapse(SOON_MS);
  expect([other.text, other.end]).toEqual(['all', 'done']);
  expect([past.text, past.end]).toEqual(['', 'done']);
});

test('there is nothing to follow without a run, of another owner, and some minutes after the end', async () => {
  await using fixture = await openRunFixture();
  const engine = fixture.instance();
  expect(await engine.follow(ALICE, 'c1')).toBeUndefined();
  const script = createScriptedProducer();
  await engine.start(turn(script.produce, { isDetached: true }));
  script.text('x');
  expect(await engine.follow('bob' as typeof ALICE, 'c1')).toBeUndefined();
  script.end();
  await fixture.clock.elapse(60_000);
  expect(await engine.follow(ALICE, 'c1')).toBeDefined();
  await fixture.clock.elapse(5 * 60_000);
  expect(await engine.follow(ALICE, 'c1')).toBeUndefined();
  expect(await fixture.stores.chats.messages(ALICE, 'c1')).toHaveLength(2);
});

test('a reader that leaves cancels the turn, unless it is detached', async () => {
  await using fixture = await openRunFixture();
  const engine = fixture.instance();
  const script = createScriptedProducer();
  const reader = await engine.start(turn(script.produce));
  script.text('partial');
  await fixture.clock.elapse(0);
  reader.close();
  reader.close();
  expect(await reader.ended).toBe('left');
  await fixture.clock.elapse(SOON_MS);
  expect((await script.context).signal.aborted).toBe(true);
  const messages = await fixture.stores.chats.messages(ALICE, 'c1');
  expect(messages.at(-1)).toMatchObject({ content: 'partial', status: 'interrupted' });

  const detached = createScriptedProducer();
  (await engine.start(turn(detached.produce, { chatId: 'c2', isDetached: true }))).close();
  await fixture.clock.elapse(SOON_MS);
  expect((await detached.context).signal.aborted).toBe(false);
  detached.text('whole');
  detached.end();
  await fixture.clock.elapse(SOON_MS);
  const [, answer] = await fixture.stores.chats.messages(ALICE, 'c2');
  expect(answer?.content).toBe('whole');
  expect(answer?.status).toBeUndefined();
});

test('a turn goes on while another one reads it', async () => {
  await using fixture = await openRunFixture();
  const engine = fixture.instance();
  const script = createScriptedProducer();
  const first = await engine.start(turn(script.produce));
  const second = await engine.follow(ALICE, 'c1');
  first.close();
  await fixture.clock.elapse(SOON_MS);
  expect((await script.context).signal.aborted).toBe(false);
  second?.close();
  await fixture.clock.elapse(SOON_MS);
  expect((await script.context).signal.aborted).toBe(true);
});

test('stop ends the turn, on its instance and on another, and keeps what there is', async () => {
  await using fixture = await openRunFixture();
  const own = fixture.instance();
  const other = fixture.instance();
  for (const [chatId, stopping] of [
    ['c1', own],
    ['c2', other],
  ] as const) {
    const script = createScriptedProducer();
    const seen = collect(await own.start(turn(script.produce, { chatId })));
    script.text('partial');
    await fixture.clock.elapse(10);
    expect(await stopping.stop(ALICE, chatId)).toBe(true);
    await fixture.clock.elapse(200);
    expect([seen.text, seen.end]).toEqual(['partial', 'stopped']);
    const messages = await fixture.stores.chats.messages(ALICE, chatId);
    expect(messages.at(-1)).toMatchObject({ content: 'partial', status: 'stopped' });
    expect(await stopping.stop(ALICE, chatId)).toBe(false);
  }
  expect(await own.stop(ALICE, 'none')).toBe(false);
});

test('a stop is of the turn that runs, not of the next one', async () => {
  await using fixture = await openRunFixture();
  const own = fixture.instance();
  const other = fixture.instance();
  const first = createScriptedProducer();
  await own.start(turn(first.produce));
  // Both at once: the wish is recorded, and the turn ends by itself.
  const stopping = other.stop(ALICE, 'c1');
  first.end();
  await stopping;
  await fixture.clock.elapse(0);
  const next = createScriptedProducer();
  const seen = collect(await own.start(turn(next.produce)));
  await fixture.clock.elapse(SOON_MS);
  next.text('undisturbed');
  next.end();
  await fixture.clock.elapse(SOON_MS);
  expect([seen.text, seen.end]).toEqual(['undisturbed', 'done']);
});

test('a stop of another owner stops nothing', async () => {
  await using fixture = await openRunFixture();
  const engine = fixture.instance();
  const script = createScriptedProducer();
  await engine.start(turn(script.produce));
  expect(await engine.stop('bob' as typeof ALICE, 'c1')).toBe(false);
  await fixture.clock.elapse(SOON_MS);
  expect((await script.context).signal.aborted).toBe(false);
});

test("a reader that doesn't allow what is there is cut off, and the turn goes on", async () => {
  await using fixture = await openRunFixture();
  const engine = fixture.instance();
  const script = createScriptedProducer();
  const slow = await engine.start(turn(script.produce));
  const patient = await engine.follow(ALICE, 'c1');
  const quick = patient && collect(patient);
  const waiting = slow[Symbol.asyncIterator]();
  script.text('a');
  await waiting.next();
  for (let second = 0; second < 40; second++) {
    script.text('b');
    await fixture.clock.elapse(1_000);
  }
  expect(await slow.ended).toBe('too_slow');
  expect((await waiting.next()).done).toBe(true);
  patient?.close();
  await fixture.clock.elapse(SOON_MS);
  expect((await script.context).signal.aborted).toBe(false);
  expect(quick?.text).toBe(`a${'b'.repeat(40)}`);
  script.end();
  await fixture.clock.elapse(SOON_MS);
  const messages = await fixture.stores.chats.messages(ALICE, 'c1');
  expect(messages.at(-1)?.content).toBe(`a${'b'.repeat(40)}`);
});

test('much that waits for a reader cuts it off sooner', async () => {
  await using fixture = await openRunFixture();
  const script = createScriptedProducer();
  const slow = await fixture.instance().start(turn(script.produce));
  const waiting = slow[Symbol.asyncIterator]();
  script.text('a');
  await waiting.next();
  for (let count = 0; count < 40; count++) script.yield({ type: 'code', code: 'x'.repeat(65_536) });
  await fixture.clock.elapse(9_000);
  expect(await Promise.race([slow.ended, 'open'])).toBe('open');
  await fixture.clock.elapse(2_000);
  expect(await slow.ended).toBe('too_slow');
});

test('a reader that waits for a quiet turn is not slow', async () => {
  await using fixture = await openRunFixture();
  const script = createScriptedProducer();
  const seen = collect(await fixture.instance().start(turn(script.produce)));
  await fixture.clock.elapse(120_000);
  script.text('at last');
  script.end();
  await fixture.clock.elapse(SOON_MS);
  expect([seen.text, seen.end]).toEqual(['at last', 'done']);
});

test('a long turn does not stay in memory: who begins late reads the log', async () => {
  await using fixture = await openRunFixture();
  const engine = fixture.instance();
  const script = createScriptedProducer();
  await engine.start(turn(script.produce, { isDetached: true }));
  for (let count = 0; count < 100; count++) {
    script.yield({ type: 'code', code: `${count}:`.padEnd(20_000, 'x') });
    await fixture.clock.elapse(50);
  }
  const seen = await follow(engine);
  script.end();
  await fixture.clock.elapse(SOON_MS);
  expect(seen.frames.map(({ seq }) => seq)).toEqual(Array.from({ length: 100 }, (_, index) => index + 1));
  expect(seen.batches).toBeGreaterThan(5);
  expect(seen.end).toBe('done');
});
