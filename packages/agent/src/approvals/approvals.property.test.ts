import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createFakeClock } from '@berth/testkit';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type LoopAgent, openLoopAgent } from '../loop/testing/open-loop-agent.ts';
import { callWipe, confirmsOf, decide, keyOf, wipe } from './testing/wipe.ts';

const DAY_MS = 24 * 3_600_000;
const clock = createFakeClock();
const { tool, runs } = wipe();
let dataFolder: string;
let instances: readonly LoopAgent[];
beforeAll(async () => {
  dataFolder = await mkdtemp(path.join(tmpdir(), 'agent-approvals-'));
  const model = [
    ({ messages }: { messages: readonly { role: string; content?: unknown }[] }) =>
      messages.at(-1)?.role === 'user' && JSON.stringify(messages.at(-1)?.content).includes('wipe')
        ? callWipe
        : 'Well.',
  ] as const;
  const open = () => openLoopAgent(model, { tools: [tool], dataFolder, clock });
  instances = [await open(), await open()];
});
afterAll(async () => {
  for (const instance of instances) await instance[Symbol.asyncDispose]();
  await rm(dataFolder, { recursive: true, force: true });
});

/** What a person does, on one of the instances. `key` counts back from the last question. */
const step = fc.record({
  instance: fc.constantFrom(0, 1),
  what: fc.oneof(
    { weight: 3, arbitrary: fc.constant('ask' as const) },
    { weight: 4, arbitrary: fc.constantFrom('approve', 'deny', 'message', 'say') },
    { weight: 1, arbitrary: fc.constantFrom('day', 'never', 'default') },
  ),
  key: fc.nat(2),
});

interface Question {
  readonly key: string;
  readonly expiresMs: number;
  state: 'waits' | 'approved' | 'denied' | 'used';
}

test('whatever is asked, decided, said and changed on two instances, a call runs as often as a person said so', async () => {
  let chat = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 9 }), async (steps) => {
      const chatId = `p${++chat}`;
      const questions: Question[] = [];
      let mode: 'never' | undefined;
      let expected = runs.length;
      const isGood = ({ expiresMs }: Question) => expiresMs > clock.nowMs();
      /** What a turn does with what was decided, and with the keys that came with it. */
      const use = (keys: readonly Question[]) => {
        for (const one of questions) {
          if (one.state === 'used' || !isGood(one)) continue;
          const isTaken = one.state !== 'waits' || keys.includes(one);
          if (!isTaken) continue;
          if (one.state !== 'denied' && mode !== 'never') expected++;
          one.state = 'used';
        }
      };
      for (const { instance, what, key } of steps) {
        const fixture = instances[instance] as LoopAgent;
        const question = questions.at(-1 - key);
        if (what === 'ask') {
          const before = expected;
          use([]);
          const turn = await fixture.say('wipe', {}, chatId);
          // The same call as one that was approved and has been run has its result already.
          const isAsked = mode !== 'never' && expected === before;
          expect(confirmsOf(turn)).toHaveLength(isAsked ? 1 : 0);
          if (isAsked) questions.push({ key: keyOf(turn), expiresMs: clock.nowMs() + DAY_MS, state: 'waits' });
        } else if (what === 'say' || what === 'message') {
          use(what === 'message' && question ? [question] : []);
          await fixture.say('And?', { approvals: what === 'message' && question ? [question.key] : [] }, chatId);
        } else if (what === 'day') clock.advance(DAY_MS);
        else if (what === 'never' || what === 'default') {
          mode = what === 'never' ? 'never' : undefined;
          if (mode) await fixture.call('alice', 'PUT', '/tools/wipe', { mode });
          else await fixture.call('alice', 'DELETE', '/tools/wipe');
        } else if (question) {
          const isOpen = question.state === 'waits' && isGood(question);
          expect((await decide(fixture, question.key, what, chatId)).status).toBe(isOpen ? 200 : 404);
          if (isOpen) question.state = what === 'approve' ? 'approved' : 'denied';
        }
        expect(runs).toHaveLength(expected);
      }
      await instances[0]?.call('alice', 'DELETE', '/tools/wipe');
    }),
    { numRuns: 40 },
  );
});
