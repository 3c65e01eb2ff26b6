import { createFakeClock } from '@berth/testkit';
import { expect, test } from 'vitest';
import { fallback } from './fallback.ts';
import type { Model } from './model.ts';
import { ModelError, type ModelFault } from './model-error.ts';
import { scripted } from './scripted.ts';
import { ask, collectAnswer, joined } from './testing/collect-answer.ts';
import { withRetry } from './with-retry.ts';

const failing = (fault: ModelFault, name = 'first', text?: string) =>
  scripted({ ...(text !== undefined && { text }), error: new ModelError(fault, `${name} failed`) }, { name });

/** Fails when a fault that another upstream may not have ends the answer, or the usage counts for the wrong model. */
test('the next model answers where the first cannot, and is named in the usage', async () => {
  const passed: string[] = [];
  const models = [failing('overloaded'), failing('not_allowed', 'second'), scripted('Here.', { name: 'third' })];
  const model = fallback(models, {
    onFallback: (from, error, to) => passed.push(`${from.name} ${error.fault} ${to.name}`),
  });
  const events = joined(await collectAnswer(model));
  expect(events).toMatchObject([
    { type: 'text', text: 'Here.' },
    { type: 'end', model: 'third' },
  ]);
  expect(passed).toEqual(['first overloaded second', 'second not_allowed third']);
  expect(model.name).toBe('first');
});

/** Fails when words are said twice, or a request that is wrong is sent to each upstream. */
test.each([
  ['an answer that began', failing('cut', 'first', 'Half'), 'model_cut'],
  ['a request that is refused', failing('refused'), 'model_refused'],
  ['a full context', failing('context_full'), 'model_context_full'],
])('%s is not passed on', async (_name, first, code) => {
  await expect(collectAnswer(fallback([first, scripted('No.')]))).rejects.toMatchObject({ code });
});

/** Fails when the last fault is swallowed, or retries are counted for each model. */
test('when all fail the whole list is tried again', async () => {
  const clock = createFakeClock();
  const overloaded = { error: new ModelError('overloaded', 'busy') };
  const second = scripted([overloaded, 'Now.'], { name: 'second' });
  const model = withRetry(fallback([failing('unreachable'), second]), { clock, random: () => 0 });
  const answer = collectAnswer(model, ask('hi'));
  await clock.elapse(500);
  expect(joined(await answer)[0]).toEqual({ type: 'text', text: 'Now.' });
  expect(() => fallback([])).toThrow('at least one model');
});

// Fails when the first model may use all the time until the first byte: the next one would never be asked.
test('a silent model leaves time for the next one', async () => {
  const clock = createFakeClock();
  const mute: Model = {
    name: 'mute',
    stream: () => ({ [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) }),
  };
  const model = withRetry(fallback([mute, scripted('Here.')], { clock }), { clock, firstByteMs: 10_000 });
  const answer = collectAnswer(model);
  await clock.elapse(5_000);
  expect(joined(await answer)[0]).toEqual({ type: 'text', text: 'Here.' });
});
