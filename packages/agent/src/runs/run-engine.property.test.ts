import { type ComponentFrame, type Frame, mergeFrames } from '@berth/contract/agent';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ALICE, type Collected, collect, openRunFixture, turn } from './testing/run-fixture.ts';
import { createScriptedProducer } from './testing/scripted-producer.ts';

const frame = fc.oneof(
  { weight: 5, arbitrary: fc.string({ minLength: 1, maxLength: 5 }).map((text): Frame => ({ type: 'text', text })) },
  fc.string({ minLength: 1, maxLength: 5 }).map((thinking): Frame => ({ type: 'thinking', thinking })),
  fc.constantFrom('s1', 's2').map((id): Frame => ({ type: 'step', step: 'does', id, ok: true })),
  fc.constant<Frame>({ type: 'code', code: 'x'.repeat(100_000) }),
  fc.constant<Frame>({ type: 'ui', action: 'suggest' }),
);

const action = fc.oneof(
  { weight: 6, arbitrary: fc.array(frame, { maxLength: 6 }).map((frames) => ({ kind: 'yield', frames }) as const) },
  { weight: 4, arbitrary: fc.integer({ min: 0, max: 300 }).map((ms) => ({ kind: 'elapse', ms }) as const) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('follow' as const),
      instance: fc.nat(2),
      seq: fc.nat(12),
    }),
  },
  fc.nat(3).map((reader) => ({ kind: 'leave', reader }) as const),
);

test('whatever happens meanwhile, every reader has each frame once and in order, and they add up to the message', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(action, { maxLength: 25 }),
      fc.constantFrom('end', 'fail', 'stop', 'stop elsewhere', 'close'),
      async (actions, ending) => {
        await using fixture = await openRunFixture();
        const engines = [fixture.instance(), fixture.instance(), fixture.instance()] as const;
        const [own, other] = engines;
        const script = createScriptedProducer();
        const first = await own.start(turn(script.produce, { isDetached: true }));
        const { runId } = first;
        const readers: { readonly afterSeq: number; readonly seen: Collected; leave(): void; hasLeft: boolean }[] = [];
        const add = (reader: typeof first, afterSeq: number) => {
          const entry = {
            afterSeq,
            seen: collect(reader),
            hasLeft: false,
            leave() {
              entry.hasLeft = true;
              reader.close();
            },
          };
          readers.push(entry);
        };
        add(first, 0);
        const produced: Frame[] = [];
        for (const step of actions) {
          if (step.kind === 'yield') {
            produced.push(...step.frames);
            script.yield(...step.frames);
          } else if (step.kind === 'elapse') await fixture.clock.elapse(step.ms);
          else if (step.kind === 'leave') readers[step.reader]?.leave();
          else {
            const reader = await engines[step.instance]?.follow(ALICE, 'c1', { runId, seq: step.seq });
            if (reader) add(reader, step.seq);
          }
        }
        let closing: Promise<void> | undefined;
        if (ending === 'end') script.end();
        else if (ending === 'fail') script.fail(new Error('on purpose'));
        else if (ending === 'close') closing = own.close();
        else await (ending === 'stop' ? own : other).stop(ALICE, 'c1');
        await fixture.clock.elapse(1_000);
        await closing;

        const late = await other.follow(ALICE, 'c1');
        if (late) add(late, 0);
        await fixture.clock.elapse(1_000);
        const all = readers.at(-1)?.seen;
        expect(all?.end).toBeDefined();
        const json = all?.frames.map((one) => one.json) ?? [];
        for (const { afterSeq, seen, hasLeft } of readers) {
          expect(seen.frames.map(({ seq }) => seq)).toEqual(seen.frames.map((_one, index) => afterSeq + index + 1));
          expect(seen.frames.map((one) => one.json)).toEqual(json.slice(afterSeq, afterSeq + seen.frames.length));
          if (!hasLeft) expect(afterSeq + seen.frames.length).toBeGreaterThanOrEqual(json.length);
        }
        const sent = json.map((text) => JSON.parse(text) as Frame);
        const [, answer] = await fixture.stores.chats.messages(ALICE, 'c1');
        expect(answer?.parts ?? []).toEqual(mergeFrames(components(sent)));
        if (ending === 'end') expect(mergeFrames(components(sent))).toEqual(mergeFrames(components(produced)));
      },
    ),
    { numRuns: 60 },
  );
});

function components(frames: readonly Frame[]): ComponentFrame[] {
  return frames.filter((one): one is ComponentFrame => !['chat_id', 'ping', 'ui'].includes(one.type));
}
