import { AGENT_LIMITS } from '@berth/contract/agent';
import { expect, test } from 'vitest';
import type { ProducerContext, RunEngineOptions } from './run-engine.ts';
import { ALICE, collect, follow, openRunFixture, type RunFixture, turn } from './testing/run-fixture.ts';
import { createScriptedProducer, type ScriptedProducer } from './testing/scripted-producer.ts';

const SOON_MS = 1_000;

/** An instance that begins a turn and whose writes then stop reaching the store, as those of a killed process do. */
async function startDying(fixture: RunFixture) {
  let isDead = false;
  const { runs } = fixture.stores;
  const mortal = <Call extends (...values: never[]) => Promise<unknown>>(call: Call): Call =>
    ((...values) => (isDead ? new Promise<never>(() => {}) : call(...values))) as Call;
  const stores = {
    ...fixture.stores,
    runs: { ...runs, append: mortal(runs.append), heartbeat: mortal(runs.heartbeat), settle: mortal(runs.settle) },
  };
  const script = createScriptedProducer();
  const engine = fixture.instance({ stores });
  const reader = await engine.start(turn(script.produce, { isDetached: true, request: '{}' }));
  return {
    script,
    engine,
    reader,
    die() {
      isDead = true;
    },
  };
}

/** An instance that continues turns, each with the next producer. */
function continuing(fixture: RunFixture, ...scripts: readonly ScriptedProducer[]) {
  let count = 0;
  const resume: RunEngineOptions['resume'] = async () => scripts[count++]?.produce;
  return fixture.instance({ resume });
}

/** Lets time pass until the condition holds, at most five minutes. */
async function pass({ clock }: RunFixture, condition: () => unknown): Promise<void> {
  for (let second = 0; second < 300 && !(await condition()); second++) await clock.elapse(SOON_MS);
  expect(await condition()).toBeTruthy();
}

const statusIs = (fixture: RunFixture, status: string) => async () =>
  (await fixture.stores.runs.findLast(ALICE, 'c1'))?.status === status;

const lastMessage = async ({ stores }: RunFixture) => (await stores.chats.messages(ALICE, 'c1')).at(-1);

// Fails when the frames start over, when the new attempt doesn't know what was said, or when costs are counted once only.
test('a turn goes on at another instance, with the next frame and all that was said and paid', async () => {
  const fixture = await openRunFixture();
  const { script, reader, die } = await startDying(fixture);
  script.text('logged');
  (await script.context).addCost(0.25);
  await fixture.clock.elapse(200);
  die();
  script.text(' lost');
  const rest = createScriptedProducer();
  const other = continuing(fixture, rest);
  const seen = await follow(other, { runId: reader.runId, seq: 0 });
  let context: ProducerContext | undefined;
  void rest.context.then((begun) => {
    context = begun;
  });
  await pass(fixture, () => context);
  expect(context?.resumed?.parts).toEqual([{ type: 'text', text: 'logged' }]);
  rest.text(' and on');
  context?.addCost(0.5);
  rest.end();
  await pass(fixture, () => seen.end);
  expect([seen.text, seen.end]).toEqual(['logged and on', 'done']);
  expect(seen.frames.map(({ seq }) => seq)).toEqual([1, 2]);
  expect(await lastMessage(fixture)).toMatchObject({ content: 'logged and on' });
  expect(await fixture.stores.chats.find(ALICE, 'c1')).toMatchObject({
    costMicroUsd: 750_000,
    run: { id: reader.runId, status: 'done' },
  });
});

// Fails when the cursor's attempt isn't looked at: the reader would keep " lost", and miss " and".
test.each([
  { what: 'of a frame that was lost gets all of them again', attempt: 1, seq: 2, text: 'logged and on' },
  { what: 'of a frame that was logged gets the rest', attempt: 1, seq: 1, text: ' and on' },
  { what: 'of the new attempt gets the rest', attempt: 2, seq: 2, text: ' on' },
])('a reader with the cursor $what', async ({ attempt, seq, text }) => {
  // Holds the agent to the contract: verifies('run.replayed')
  const fixture = await openRunFixture();
  const { script, reader, die } = await startDying(fixture);
  script.text('logged');
  await fixture.clock.elapse(200);
  die();
  script.text(' lost');
  const rest = createScriptedProducer();
  const other = continuing(fixture, rest);
  const elsewhere = continuing(fixture, rest);
  // One reader waits for the log of the process that is gone, the others come later.
  const waiting = await follow(elsewhere, { runId: reader.runId, attempt, seq });
  rest.text(' and');
  await pass(fixture, async () => (await fixture.stores.runs.frames(ALICE, reader.runId, 1, 9)).length > 0);
  const cursor = { runId: reader.runId, attempt, seq };
  const late = [await follow(other, cursor), await follow(elsewhere, cursor)];
  rest.text(' on');
  rest.end();
  await pass(fixture, () => late.every(({ end }) => end));
  const after = await follow(elsewhere, cursor);
  await pass(fixture, () => after.end && waiting.end);
  expect([...late, after].map((seen) => seen.text)).toEqual([text, text, text]);
  if (attempt === 1) expect(waiting.text).toBe(text);
});

// Fails when a reader forgets that its frames were lost while the new attempt has logged none: it misses as many of the new ones.
test('a reader whose frames were all lost gets those of the new attempt from the first one', async () => {
  const fixture = await openRunFixture();
  const { script, reader, die } = await startDying(fixture);
  die();
  script.text('lost');
  const rest = createScriptedProducer();
  const waiting = await follow(continuing(fixture, rest), { runId: reader.runId, attempt: 1, seq: 2 });
  await pass(fixture, async () => (await fixture.stores.runs.findLast(ALICE, 'c1'))?.attempt === 2);
  // The reader looks at the log, which is empty.
  await fixture.clock.elapse(SOON_MS);
  // Fails when a turn of which nothing is left is told that it goes on: its frames would lack the first one, the chat's id.
  expect((await rest.context).resumed).toBeUndefined();
  rest.text('said');
  await fixture.clock.elapse(SOON_MS);
  rest.text(' again');
  rest.end();
  await pass(fixture, () => waiting.end);
  expect([waiting.text, waiting.frames.map(({ seq }) => seq)]).toEqual(['said again', [1, 2]]);
});

// Fails when a write of the process that was taken for dead takes effect.
test('a process that was only slow changes nothing, and its readers are sent to the other one', async () => {
  await using fixture = await openRunFixture();
  const slow = createScriptedProducer();
  let isSlow = false;
  const wake = Promise.withResolvers<void>();
  const { runs } = fixture.stores;
  const late = <Call extends (...values: never[]) => Promise<unknown>>(call: Call): Call =>
    (async (...values) => {
      if (isSlow) await wake.promise;
      return call(...values);
    }) as Call;
  const stores = {
    ...fixture.stores,
    runs: { ...runs, append: late(runs.append), heartbeat: late(runs.heartbeat), settle: late(runs.settle) },
  };
  const engine = fixture.instance({ stores });
  const seen = collect(await engine.start(turn(slow.produce, { isDetached: true, request: '{}' })));
  slow.text('one');
  await fixture.clock.elapse(200);
  isSlow = true;
  slow.text(' two of the slow');
  const rest = createScriptedProducer();
  continuing(fixture, rest);
  rest.text(' two');
  await pass(fixture, async () => (await runs.findLast(ALICE, 'c1'))?.attempt === 2);
  isSlow = false;
  wake.resolve();
  await pass(fixture, () => seen.end);
  expect((await slow.context).signal.aborted).toBe(true);
  expect(seen.end).toBe('moved');
  rest.end();
  await pass(fixture, statusIs(fixture, 'done'));
  expect(await lastMessage(fixture)).toMatchObject({ content: 'one two' });
  expect(await fixture.stores.chats.messages(ALICE, 'c1')).toHaveLength(2);
});

// Fails when `saved` resolves although the frames aren't in the log, or another instance has the run.
test('an act waits until its record is durable, and is not done by a process that has lost the turn', async () => {
  await using fixture = await openRunFixture();
  const { runs } = fixture.stores;
  const writing = Promise.withResolvers<void>();
  const append: typeof runs.append = async (progress) => {
    await writing.promise;
    return await runs.append(progress);
  };
  const engine = fixture.instance({ stores: { ...fixture.stores, runs: { ...runs, append } } });
  const script = createScriptedProducer();
  const reader = await engine.start(turn(script.produce, { isDetached: true }));
  script.text('about to act');
  const { saved } = await script.context;
  await fixture.clock.elapse(10);
  const states: string[] = [];
  void saved().then(() => states.push('saved'));
  await fixture.clock.elapse(SOON_MS);
  expect(states).toEqual([]);
  writing.resolve();
  await pass(fixture, () => states.length > 0);
  const nowMs = fixture.clock.nowMs();
  const takeover = { attempt: 1, instance: 'other', nowMs, staleBeforeMs: nowMs + 1 };
  expect(await runs.takeOver(reader.runId, takeover)).toBeDefined();
  script.text('again');
  await fixture.clock.elapse(200);
  await expect(saved()).rejects.toThrow('lost');
});

// Fails when takeovers are counted wrongly, or not at all.
test(`a turn that ends each of its processes is given up after ${AGENT_LIMITS.takeovers} takeovers`, async () => {
  const fixture = await openRunFixture();
  const { script, reader, die } = await startDying(fixture);
  script.text('partial');
  await fixture.clock.elapse(200);
  die();
  const { takeOver } = fixture.stores.runs;
  for (let attempt = 1; attempt <= AGENT_LIMITS.takeovers; attempt++) {
    const nowMs = fixture.clock.nowMs();
    const taken = { attempt, instance: `killed-${attempt}`, nowMs, staleBeforeMs: nowMs + 1 };
    expect(await takeOver(reader.runId, taken)).toMatchObject({ attempt: attempt + 1 });
  }
  continuing(fixture, createScriptedProducer());
  await pass(fixture, statusIs(fixture, 'interrupted'));
  expect(await lastMessage(fixture)).toMatchObject({ content: 'partial', status: 'interrupted' });
});

test('a turn that is out of time is not continued', async () => {
  const fixture = await openRunFixture();
  const { script, die } = await startDying(fixture);
  script.text('partial');
  await fixture.clock.elapse(200);
  die();
  fixture.clock.advance(AGENT_LIMITS.budgetMs);
  continuing(fixture, createScriptedProducer());
  await pass(fixture, statusIs(fixture, 'interrupted'));
  expect(await lastMessage(fixture)).toMatchObject({ content: 'partial', status: 'interrupted' });
});

// Fails when a request to stop is forgotten with the process that did not hear of it.
test('a turn that was to be stopped is not continued, and a continued one can be stopped', async () => {
  const fixture = await openRunFixture();
  const { die } = await startDying(fixture);
  await fixture.clock.elapse(200);
  die();
  const rest = createScriptedProducer();
  const other = continuing(fixture, rest);
  expect(await other.stop(ALICE, 'c1')).toBe(true);
  await pass(fixture, statusIs(fixture, 'stopped'));

  const second = await startDying(fixture);
  await fixture.clock.elapse(200);
  second.die();
  rest.text('goes on');
  await pass(fixture, async () => (await fixture.stores.runs.frames(ALICE, second.reader.runId, 0, 9)).length > 0);
  expect(await fixture.instance().stop(ALICE, 'c1')).toBe(true);
  await pass(fixture, statusIs(fixture, 'stopped'));
  expect(await lastMessage(fixture)).toMatchObject({ content: 'goes on', status: 'stopped' });
});

// Fails when a process that ends interrupts the turn, or logs what its producer says after that.
test('a process that is asked to end hands its turns over', async () => {
  await using fixture = await openRunFixture();
  const first = createScriptedProducer();
  const rest = createScriptedProducer();
  const engine = continuing(fixture);
  const seen = collect(await engine.start(turn(first.produce, { isDetached: true, request: '{}' })));
  first.text('one');
  await fixture.clock.elapse(200);
  (await first.context).signal.addEventListener('abort', () => first.text(' never'));
  const closing = engine.close({ drainMs: 100 });
  await fixture.clock.elapse(SOON_MS);
  await closing;
  expect(seen.end).toBe('moved');
  const after = await follow(continuing(fixture, rest));
  rest.text(' two');
  rest.end();
  await pass(fixture, () => after.end);
  expect([after.text, after.end]).toEqual(['one two', 'done']);
  expect(await lastMessage(fixture)).toMatchObject({ content: 'one two' });
});
