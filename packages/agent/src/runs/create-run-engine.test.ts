import type { Frame } from '@berth/contract/agent';
import { createRecordingLogger } from '@berth/testkit';
import { describe, expect, test } from 'vitest';
import { ALICE, collect, openRunFixture, turn } from './testing/run-fixture.ts';
import { createScriptedProducer } from './testing/scripted-producer.ts';

/** Far more than a step of the engine takes. */
const SOON_MS = 1_000;

/** Lets the event loop come round, after which text is sent that waits for nothing else. */
async function nextLoop(): Promise<void> {
  for (let count = 0; count < 3; count++) await new Promise((resolve) => setImmediate(resolve));
}

describe('a turn', () => {
  test('is read while it is produced, and its messages are stored before its end', async () => {
    await using fixture = await openRunFixture();
    const { clock, stores } = fixture;
    const script = createScriptedProducer();
    const reader = await fixture.instance().start(turn(script.produce));
    const seen = collect(reader);
    expect((await stores.chats.messages(ALICE, 'c1')).map(({ content }) => content)).toEqual(['hello']);
    script.text('one ');
    await nextLoop();
    expect(seen.text).toBe('one ');
    script.yield({ type: 'step', step: 'looks', id: 's1', ok: true });
    script.text('two');
    await clock.elapse(SOON_MS);
    (await script.context).addCost(0.25);
    script.end();
    await clock.elapse(SOON_MS);
    expect(seen.end).toBe('done');
    expect(seen.frames.map(({ seq }) => seq)).toEqual([1, 2, 3]);
    const messages = await stores.chats.messages(ALICE, 'c1');
    expect(messages.map(({ role, runId }) => [role, runId])).toEqual([
      ['user', reader.runId],
      ['assistant', reader.runId],
    ]);
    expect(messages[1]?.parts).toHaveLength(3);
    const chat = await stores.chats.find(ALICE, 'c1');
    expect(chat).toMatchObject({ title: 'hello', costMicroUsd: 250_000, run: { id: reader.runId, status: 'done' } });
  });

  test('of which nothing is to be stored leaves no chat', async () => {
    await using fixture = await openRunFixture();
    const script = createScriptedProducer();
    const { message: _message, ...unstored } = turn(script.produce);
    const seen = collect(await fixture.instance().start(unstored));
    script.text('hi');
    script.end();
    await fixture.clock.elapse(SOON_MS);
    expect([seen.text, seen.end]).toEqual(['hi', 'done']);
    expect(await fixture.stores.chats.list(ALICE, { limit: 10 })).toEqual([]);
  });

  test('that throws is failed and says a reference that is in the log, not the error', async () => {
    await using fixture = await openRunFixture();
    const lines: string[] = [];
    const script = createScriptedProducer();
    const seen = collect(await fixture.instance({ logger: createRecordingLogger(lines) }).start(turn(script.produce)));
    script.text('so far');
    script.fail(new Error('the secret is hunter2'));
    await fixture.clock.elapse(SOON_MS);
    expect(seen.end).toBe('failed');
    const last = JSON.parse(seen.frames.at(-1)?.json ?? '{}') as { readonly callout: string };
    expect(last).toMatchObject({ type: 'callout', style: 'error' });
    const reference = /[0-9a-f]{8}$/.exec(last.callout)?.[0] as string;
    expect(last.callout).not.toContain('hunter2');
    const told = lines.find((line) => line.includes(reference) && line.includes('hunter2'));
    expect(JSON.parse(told ?? '{}')).toMatchObject({ runId: expect.stringMatching(/^run_/), chatId: 'c1' });
    const messages = await fixture.stores.chats.messages(ALICE, 'c1');
    expect(messages.at(-1)).toMatchObject({ role: 'assistant', status: 'failed' });
  });

  test('ends after 45 minutes', async () => {
    await using fixture = await openRunFixture();
    const script = createScriptedProducer();
    const seen = collect(await fixture.instance().start(turn(script.produce)));
    script.text('endless');
    // At one leap: the heartbeats on the way are not what is tested.
    fixture.clock.advance(45 * 60_000 - 1_000);
    await fixture.clock.elapse(0);
    expect(seen.end).toBeUndefined();
    await fixture.clock.elapse(2_000);
    expect(seen.end).toBe('failed');
    expect(JSON.parse(seen.frames.at(-1)?.json ?? '{}')).toMatchObject({
      type: 'callout',
      style: 'error',
      callout: expect.stringContaining('after 45 minutes'),
    });
  });

  // Fails when the producer waits for the disk, when a reader does not, and when a turn goes on whose message is lost.
  test('is produced while its message is synced, and shown when that is done', async () => {
    await using fixture = await openRunFixture();
    const { runs } = fixture.stores;
    for (const failure of [undefined, new Error('EIO')]) {
      const sync = Promise.withResolvers<void>();
      const begin: typeof runs.begin = async (run, onBegun) => {
        const begun = await runs.begin(run);
        if (begun.result === 'begun') onBegun?.(begun);
        await sync.promise;
        return begun;
      };
      const script = createScriptedProducer();
      const engine = fixture.instance({ stores: { ...fixture.stores, runs: { ...runs, begin } } });
      let isShown = false;
      const started = engine.start(turn(script.produce, { chatId: `c-${failure ?? 'good'}` }));
      const shown = started.then(
        (reader) => {
          isShown = true;
          return collect(reader);
        },
        (error: unknown) => error,
      );
      const { signal, isFirstMessage } = await script.context;
      script.text('early');
      await fixture.clock.elapse(200);
      expect([isShown, isFirstMessage]).toEqual([false, true]);
      if (failure) sync.reject(failure);
      else sync.resolve();
      const seen = await shown;
      script.end();
      await fixture.clock.elapse(SOON_MS);
      if (failure) expect([seen, signal.aborted]).toEqual([failure, true]);
      else expect(seen).toMatchObject({ text: 'early', end: 'done' });
    }
  });

  test('keeps what its producer adds, before the answer', async () => {
    await using fixture = await openRunFixture();
    const script = createScriptedProducer();
    collect(await fixture.instance().start(turn(script.produce)));
    (await script.context).addMessage({ role: 'system', content: 'summary', isInternal: true });
    (await script.context).addCost(Number.NaN);
    script.text('answer');
    script.end();
    await fixture.clock.elapse(SOON_MS);
    const messages = await fixture.stores.chats.messages(ALICE, 'c1');
    expect(messages.map(({ role, isInternal = false }) => [role, isInternal])).toEqual([
      ['user', false],
      ['system', true],
      ['assistant', false],
    ]);
    expect((await fixture.stores.chats.find(ALICE, 'c1'))?.costMicroUsd).toBe(0);
  });
});

describe('text', () => {
  test('is sent at once at first, then joined for 40 ms', async () => {
    await using fixture = await openRunFixture();
    const script = createScriptedProducer();
    const seen = collect(await fixture.instance().start(turn(script.produce)));
    script.text('a');
    await nextLoop();
    expect(seen.frames).toHaveLength(1);
    for (const text of ['b', 'c', 'd']) {
      script.text(text);
      await fixture.clock.elapse(10);
    }
    expect(seen.text).toBe('a');
    await fixture.clock.elapse(10);
    expect(seen.frames.map(({ json }) => JSON.parse(json) as Frame)).toEqual([
      { type: 'text', text: 'a' },
      { type: 'text', text: 'bcd' },
    ]);
  });

  // Fails when a busy process sends a frame for each piece of text, or when the text of one turn goes out after that of another for good.
  test('that comes while the process is busy is joined, for every turn', async () => {
    await using fixture = await openRunFixture();
    const engine = fixture.instance();
    const turns = await Promise.all(
      ['c1', 'c2'].map(async (chatId) => {
        const script = createScriptedProducer();
        const seen = collect(await engine.start(turn(script.produce, { chatId })));
        await script.context;
        return { script, seen };
      }),
    );
    for (let round = 0; round < 2; round++) {
      for (const { script } of turns) {
        for (const text of ['a', 'b', 'c']) {
          script.text(text);
          // The producer goes on, but the event loop does not come round.
          for (let count = 0; count < 20; count++) await Promise.resolve();
        }
      }
      await nextLoop();
      await fixture.clock.elapse(40);
      await nextLoop();
    }
    for (const { seen } of turns) expect([seen.text, seen.frames.length]).toEqual(['abcabc', 2]);
  });

  test('does not wait behind what is no text, nor the other way round', async () => {
    await using fixture = await openRunFixture();
    const script = createScriptedProducer();
    const seen = collect(await fixture.instance().start(turn(script.produce)));
    script.text('a', 'b');
    script.yield({ type: 'thinking', thinking: 'c' }, { type: 'status', status: 'd' });
    await nextLoop();
    expect(seen.frames.map(({ json }) => (JSON.parse(json) as Frame).type)).toEqual(['text', 'thinking', 'status']);
  });
});

describe('one live turn a chat', () => {
  test('a second one is refused, here and elsewhere, and leaves nothing', async () => {
    await using fixture = await openRunFixture();
    const one = fixture.instance();
    const other = fixture.instance();
    const script = createScriptedProducer();
    await one.start(turn(script.produce));
    for (const engine of [one, other]) {
      await expect(engine.start(turn(createScriptedProducer().produce))).rejects.toMatchObject({
        code: 'conflict',
        details: { retryAfterSeconds: 2, body: { error: 'run_in_progress', chat_id: 'c1' } },
      });
    }
    expect(await fixture.stores.chats.messages(ALICE, 'c1')).toHaveLength(1);
    await other.start(turn(createScriptedProducer().produce, { chatId: 'c2' }));
    await other.start(turn(createScriptedProducer().produce, { owner: 'bob' as typeof ALICE }));
  });

  test('of many at once one is begun', async () => {
    await using fixture = await openRunFixture();
    const engines = [fixture.instance(), fixture.instance()];
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, (_, index) =>
        engines[index % 2]?.start(turn(createScriptedProducer().produce, { isDetached: true })),
      ),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  test('the next one may begin when the first is stored', async () => {
    await using fixture = await openRunFixture();
    const engine = fixture.instance();
    for (const word of ['one', 'two', 'three']) {
      const script = createScriptedProducer();
      const seen = collect(await engine.start(turn(script.produce)));
      script.text(word);
      script.end();
      await fixture.clock.elapse(SOON_MS);
      expect([seen.text, seen.end]).toEqual([word, 'done']);
    }
    expect(await fixture.stores.chats.messages(ALICE, 'c1')).toHaveLength(6);
  });
});
