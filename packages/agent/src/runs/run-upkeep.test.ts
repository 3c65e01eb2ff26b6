import type { RunStore, StoredRun } from '@berth/agent-store';
import { createError } from '@berth/contract';
import { AGENT_LIMITS } from '@berth/contract/agent';
import { createRecordingLogger } from '@berth/testkit';
import { describe, expect, test } from 'vitest';
import { ALICE, collect, follow, openRunFixture, type RunFixture, turn } from './testing/run-fixture.ts';
import { createScriptedProducer } from './testing/scripted-producer.ts';

const SOON_MS = 1_000;
const { heartbeatMs } = AGENT_LIMITS;

/** The shared stores, with some methods of the one for runs replaced. */
const withRuns = ({ stores }: RunFixture, changes: Partial<RunStore>) => ({
  ...stores,
  runs: { ...stores.runs, ...changes },
});

/** Makes the chat's run stale: its instance was killed that long ago. */
async function openDeadTurn(fixture: RunFixture) {
  const hang = () => new Promise<never>(() => {});
  let isDead = false;
  const { runs } = fixture.stores;
  const heartbeat: RunStore['heartbeat'] = (...values) => (isDead ? hang() : runs.heartbeat(...values));
  const dying = fixture.instance({ stores: withRuns(fixture, { heartbeat }) });
  const script = createScriptedProducer();
  await dying.start(turn(script.produce, { isDetached: true }));
  return {
    script,
    async die() {
      await fixture.clock.elapse(200);
      isDead = true;
      fixture.clock.advance(AGENT_LIMITS.staleMs + 1_000);
    },
  };
}

describe('heartbeats', () => {
  // Fails when they come at another pace, at once, or when a turn that begins between two of them puts them off.
  test('come at an even pace from the first turn on, for all turns at once', async () => {
    await using fixture = await openRunFixture();
    const { clock, stores } = fixture;
    const beats: { readonly atMs: number; readonly runs: number }[] = [];
    const heartbeat: RunStore['heartbeat'] = (ids, nowMs, instance) => {
      beats.push({ atMs: clock.monotonicMs(), runs: ids.length });
      return stores.runs.heartbeat(ids, nowMs, instance);
    };
    const engine = fixture.instance({ stores: withRuns(fixture, { heartbeat }) });
    await clock.elapse(3 * heartbeatMs);
    expect(beats).toEqual([]);
    const startMs = clock.monotonicMs();
    for (let count = 0; count < 4; count++) {
      await engine.start(turn(createScriptedProducer().produce, { chatId: `c${count}`, isDetached: true }));
      await clock.elapse(heartbeatMs * 0.75);
    }
    expect(beats.map(({ atMs, runs }) => [(atMs - startMs) / heartbeatMs, runs])).toEqual([
      ...[[1, 2]],
      ...[[2, 3]],
      ...[[3, 4]],
    ]);
  });

  // Fails when what the store says of a run that has ended meanwhile stops the upkeep of the others.
  test('and stops of turns that have just ended are passed over', async () => {
    await using fixture = await openRunFixture();
    const lines: string[] = [];
    const gone = async () => ['run_gone'];
    const stores = withRuns(fixture, { heartbeat: gone, stopRequests: gone });
    const engine = fixture.instance({ stores, logger: createRecordingLogger(lines) });
    const script = createScriptedProducer();
    const seen = collect(await engine.start(turn(script.produce)));
    await fixture.clock.elapse(heartbeatMs + SOON_MS);
    script.text('goes on');
    script.end();
    await fixture.clock.elapse(SOON_MS);
    expect([seen.text, seen.end, lines]).toEqual(['goes on', 'done', []]);
  });

  // Fails when a lost turn counts as done.
  test('of a turn that the store no longer knows interrupt it', async () => {
    await using fixture = await openRunFixture();
    const engine = fixture.instance({ stores: withRuns(fixture, { heartbeat: async (ids) => ids }) });
    const script = createScriptedProducer();
    const seen = collect(await engine.start(turn(script.produce)));
    await fixture.clock.elapse(heartbeatMs + SOON_MS);
    expect(seen.end).toBe('interrupted');
  });
});

describe('the upkeep of turns', () => {
  // Fails when it goes on without turns and readers: a timer every 100 ms for the life of the process.
  test('rests while nothing runs and nobody reads', async () => {
    await using fixture = await openRunFixture();
    const engine = fixture.instance();
    await fixture.clock.elapse(0);
    const resting = fixture.clock.pending;
    const script = createScriptedProducer();
    const seen = collect(await engine.start(turn(script.produce)));
    await fixture.clock.elapse(SOON_MS);
    expect(fixture.clock.pending).toBeGreaterThan(resting);
    script.end();
    await fixture.clock.elapse(SOON_MS);
    expect([seen.end, fixture.clock.pending]).toEqual(['done', resting]);
  });

  // Fails when an instance that only reads asks for stops: a query every 100 ms for nothing.
  test('asks for stops only where turns run', async () => {
    await using fixture = await openRunFixture();
    await fixture.instance().start(turn(createScriptedProducer().produce, { isDetached: true }));
    await fixture.clock.elapse(200);
    let asked = 0;
    const stopRequests = async () => {
      asked++;
      return [];
    };
    await follow(fixture.instance({ stores: withRuns(fixture, { stopRequests }) }));
    await fixture.clock.elapse(SOON_MS);
    expect(asked).toBe(0);
  });

  test('that fails is logged and tried again', async () => {
    await using fixture = await openRunFixture();
    const lines: string[] = [];
    let isAway = true;
    const { runs } = fixture.stores;
    const stopRequests: RunStore['stopRequests'] = (instance) =>
      isAway ? Promise.reject(createError('unavailable', 'The database is away.')) : runs.stopRequests(instance);
    const stores = withRuns(fixture, { stopRequests });
    const engine = fixture.instance({ stores, logger: createRecordingLogger(lines) });
    const script = createScriptedProducer();
    const seen = collect(await engine.start(turn(script.produce, { isDetached: true })));
    await fixture.clock.elapse(200);
    expect(JSON.parse(lines[0] ?? '{}')).toMatchObject({
      level: 'error',
      error: expect.stringContaining('database is away'),
    });
    isAway = false;
    expect(await fixture.instance().stop(ALICE, 'c1')).toBe(true);
    await fixture.clock.elapse(SOON_MS);
    expect(seen.end).toBe('stopped');
  });

  // Fails when the frames of a turn are logged while its end is being stored: they would be logged twice.
  test('leaves alone a turn that is being stored', async () => {
    await using fixture = await openRunFixture();
    const { runs } = fixture.stores;
    const appended: string[] = [];
    const storing = Promise.withResolvers<void>();
    const stores = withRuns(fixture, {
      async append(batches) {
        appended.push(...batches.flatMap(({ frames }) => frames));
        return await runs.append(batches);
      },
      async settle(...values) {
        await storing.promise;
        return runs.settle(...values);
      },
    });
    const script = createScriptedProducer();
    const engine = fixture.instance({ stores });
    const seen = collect(await engine.start(turn(script.produce)));
    script.text('a', 'b');
    script.end();
    await fixture.clock.elapse(SOON_MS);
    expect([seen.text, seen.end, appended]).toEqual(['ab', undefined, []]);
    storing.resolve();
    await fixture.clock.elapse(SOON_MS);
    expect(seen.end).toBe('done');
    expect((await fixture.stores.chats.messages(ALICE, 'c1')).at(-1)?.content).toBe('ab');
    const late = await follow(engine);
    await fixture.clock.elapse(SOON_MS);
    expect(late.text).toBe('ab');
  });

  // Fails when readers are looked at only while turns run.
  test('cuts off a reader that never takes anything, though its turn has ended', async () => {
    await using fixture = await openRunFixture();
    const script = createScriptedProducer();
    const slow = await fixture.instance().start(turn(script.produce));
    script.text('a');
    script.end();
    await fixture.clock.elapse(29_000);
    expect(await Promise.race([slow.ended, 'open'])).toBe('open');
    await fixture.clock.elapse(2_000);
    expect(await slow.ended).toBe('too_slow');
  });
});

describe('on its own instance', () => {
  // Fails when a turn of this process is read from the log, or stopped by way of the store: both take 100 ms.
  test('a turn is followed and stopped at once', async () => {
    await using fixture = await openRunFixture();
    const engine = fixture.instance();
    const script = createScriptedProducer();
    const { runId } = await engine.start(turn(script.produce, { isDetached: true }));
    expect(runId).toMatch(/^run_/);
    script.text('a');
    const seen = await follow(engine);
    await fixture.clock.elapse(0);
    expect(seen.text).toBe('a');
    expect(await engine.stop(ALICE, 'c1')).toBe(true);
    expect((await script.context).signal.aborted).toBe(true);
  });
});

describe('a turn that looks dead', () => {
  // Fails when the record that is read first decides, not the store.
  test('goes on for its reader when its instance turns out to be alive', async () => {
    await using fixture = await openRunFixture();
    const { runs } = fixture.stores;
    const script = createScriptedProducer();
    await fixture.instance().start(turn(script.produce, { isDetached: true }));
    await fixture.clock.elapse(200);
    fixture.clock.advance(AGENT_LIMITS.staleMs);
    let isFirst = true;
    const old = (run: StoredRun | undefined) => run && { ...run, heartbeatAtMs: 0 };
    const find: RunStore['find'] = async (...values) => {
      const found = await runs.find(...values);
      const given = isFirst ? old(found) : found;
      isFirst = false;
      return given;
    };
    const seen = await follow(fixture.instance({ stores: withRuns(fixture, { find }) }));
    await fixture.clock.elapse(SOON_MS);
    script.text('alive');
    script.end();
    await fixture.clock.elapse(SOON_MS);
    expect([seen.text, seen.end]).toEqual(['alive', 'done']);
  });

  // Fails when a chat that was deleted for good meanwhile leaves its reader open.
  test('is interrupted when nothing is left of its record', async () => {
    const fixture = await openRunFixture();
    const { script, die } = await openDeadTurn(fixture);
    script.text('a');
    await die();
    const other = fixture.instance({ stores: withRuns(fixture, { find: async () => undefined }) });
    const seen = await follow(other);
    await fixture.clock.elapse(SOON_MS);
    expect([seen.text, seen.end]).toEqual(['a', 'interrupted']);
  });

  // Fails when its frames are deleted with its end, or when a frame that is no part of an answer becomes one.
  test('is kept as it was shown, and can be followed for some minutes', async () => {
    const fixture = await openRunFixture();
    const { script, die } = await openDeadTurn(fixture);
    script.yield({ type: 'chat_id', chat_id: 'c1' }, { type: 'text', text: 'shown' });
    await die();
    const other = fixture.instance();
    await other.reconcile(ALICE, 'c1');
    await fixture.clock.elapse(60_000);
    const seen = await follow(other);
    await fixture.clock.elapse(SOON_MS);
    expect([seen.text, seen.end]).toEqual(['shown', 'interrupted']);
    const [, answer] = await fixture.stores.chats.messages(ALICE, 'c1');
    expect(answer?.parts).toEqual([{ type: 'text', text: 'shown' }]);
  });

  // Fails when a turn that is over is ended again: its record is read often.
  test('and is over is not ended again', async () => {
    await using fixture = await openRunFixture();
    const script = createScriptedProducer();
    await fixture.instance().start(turn(script.produce, { isDetached: true }));
    script.text('done');
    script.end();
    await fixture.clock.elapse(60_000);
    let settled = 0;
    const settle: RunStore['settle'] = (...values) => {
      settled++;
      return fixture.stores.runs.settle(...values);
    };
    const seen = await follow(fixture.instance({ stores: withRuns(fixture, { settle }) }));
    await fixture.clock.elapse(SOON_MS);
    expect([seen.text, seen.end, settled]).toEqual(['done', 'done', 0]);
  });
});

// Fails when a failing sweep is an unhandled rejection, or the last one.
test('a sweep that fails is logged, and a later one settles what is left', async () => {
  const fixture = await openRunFixture();
  const { script, die } = await openDeadTurn(fixture);
  script.text('a');
  await die();
  const lines: string[] = [];
  let isAway = true;
  const purgeFrames: RunStore['purgeFrames'] = (nowMs) =>
    isAway ? Promise.reject(new Error('away')) : fixture.stores.runs.purgeFrames(nowMs);
  fixture.instance({ stores: withRuns(fixture, { purgeFrames }), logger: createRecordingLogger(lines) });
  await fixture.clock.elapse(SOON_MS);
  expect(lines.map((line) => JSON.parse(line))).toEqual([expect.objectContaining({ level: 'error' })]);
  isAway = false;
  await fixture.clock.elapse(45_000);
  expect((await fixture.stores.runs.findLast(ALICE, 'c1'))?.status).toBe('interrupted');
});

// Fails when an instance that comes back judges the heartbeats of others at once: they were cut off like itself.
test.each([
  ['could not reach the store', true],
  ['did not run', false],
])('an instance that %s ends no turn of others until it has watched them for 30 s', async (_title, isReachable) => {
  await using fixture = await openRunFixture();
  const { heartbeat, append, purgeFrames, stopRequests } = fixture.stores.runs;
  const away = { own: false, other: false };
  // Time that passes for a paused process without any timer.
  let pausedMs = 0;
  const { nowMs, monotonicMs } = fixture.clock;
  const clock = { ...fixture.clock, nowMs: () => nowMs() + pausedMs, monotonicMs: () => monotonicMs() + pausedMs };
  const cutOff = (who: keyof typeof away) => {
    const failing = <Call extends (...values: never[]) => Promise<unknown>>(call: Call): Call =>
      (async (...values) => {
        if (away[who]) throw createError('unavailable', "The agent can't reach its database. Try again.");
        return call(...values);
      }) as Call;
    const calls = { heartbeat: failing(heartbeat), append: failing(append), purgeFrames: failing(purgeFrames) };
    return { clock, stores: withRuns(fixture, { ...calls, stopRequests: failing(stopRequests) }) };
  };
  const [own, other] = [fixture.instance(cutOff('own')), fixture.instance(cutOff('other'))];
  const script = createScriptedProducer();
  const seen = collect(await own.start(turn(script.produce, { isDetached: true })));
  await fixture.clock.elapse(SOON_MS);
  away.own = true;
  away.other = isReachable;
  if (isReachable) await fixture.clock.elapse(2 * AGENT_LIMITS.staleMs);
  else pausedMs = 2 * AGENT_LIMITS.staleMs;
  away.other = false;
  // The instance sweeps before the other one has a heartbeat again.
  await fixture.clock.elapse(15_000);
  await other.reconcile(ALICE, 'c1');
  await expect(other.start(turn(script.produce))).rejects.toMatchObject({ code: 'conflict' });
  away.own = false;
  await fixture.clock.elapse(AGENT_LIMITS.staleMs);
  script.text('alive');
  script.end();
  await fixture.clock.elapse(SOON_MS);
  expect([seen.text, seen.end]).toEqual(['alive', 'done']);
});

// Fails when `close` does not wait for frames that are being logged: the caller closes the store after it.
test('closing waits for the frames that are being logged', async () => {
  await using fixture = await openRunFixture();
  const writing = Promise.withResolvers<void>();
  const append: RunStore['append'] = async (batches) => {
    await writing.promise;
    return fixture.stores.runs.append(batches);
  };
  const engine = fixture.instance({ stores: withRuns(fixture, { append }) });
  await fixture.clock.elapse(0);
  const script = createScriptedProducer();
  const reader = await engine.start(turn(script.produce));
  script.text('a');
  await fixture.clock.elapse(200);
  reader.close();
  let isClosed = false;
  const closing = engine.close().then(() => {
    isClosed = true;
  });
  await fixture.clock.elapse(SOON_MS);
  expect(isClosed).toBe(false);
  writing.resolve();
  await fixture.clock.elapse(SOON_MS);
  await closing;
});

// Fails when `close` does not wait for a read: the caller closes the store after it.
test('closing waits for what its readers are reading', async () => {
  await using fixture = await openRunFixture();
  await fixture.instance().start(turn(createScriptedProducer().produce, { isDetached: true }));
  await fixture.clock.elapse(200);
  const reading = Promise.withResolvers<void>();
  const frames: RunStore['frames'] = async (...values) => {
    await reading.promise;
    return fixture.stores.runs.frames(...values);
  };
  const other = fixture.instance({ stores: withRuns(fixture, { frames }) });
  await follow(other);
  await fixture.clock.elapse(0);
  let isClosed = false;
  const closing = other.close().then(() => {
    isClosed = true;
  });
  await fixture.clock.elapse(SOON_MS);
  expect(isClosed).toBe(false);
  reading.resolve();
  await closing;
});
