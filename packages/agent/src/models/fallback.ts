import { type Clock, createSystemClock } from '@berth/kit';
import { streamWithin } from './first-byte-limit.ts';
import type { Model } from './model.ts';
import { ModelError, type ModelFault } from './model-error.ts';

/** Faults of one upstream that another one may not have. A request that is wrong is wrong for each of them. */
const PASSED_ON: ReadonlySet<ModelFault> = new Set([
  'unreachable',
  'rate_limited',
  'overloaded',
  'silent',
  'cut',
  'malformed',
  'not_allowed',
]);

/** Options of {@link fallback}. */
export interface FallbackOptions {
  /** Measures the time that a model may take; the system's clock by default. */
  readonly clock?: Clock;
  /** Called when a model failed and the next one is asked, e.g. to count it. */
  readonly onFallback?: (failed: Model, error: ModelError, next: Model) => void;
}

/**
 * Returns a model that asks the first of `models`, and the next one when it fails before the answer began: it can't be reached, is
 * overloaded, silent or over its rate limit, or refuses the key. The models share the time until the first byte in equal parts. When all fail, the loop's retry policy applies to the whole
 * list. Usage is counted and priced for the model that answered.
 * @throws RangeError without models.
 */
export function fallback(
  models: readonly Model[],
  { clock = createSystemClock(), onFallback }: FallbackOptions = {},
): Model {
  const [first] = models;
  if (!first)
    throw new RangeError('fallback() needs at least one model: fallback([anthropic({ … }), chatCompletions({ … })]).');
  return {
    name: first.name,
    // The loop asks for one form of all of them.
    hasResponseFormat: models.every(({ hasResponseFormat }) => hasResponseFormat === true),
    async *stream(request) {
      const { firstByteMs: limitMs = Number.POSITIVE_INFINITY } = request;
      const endMs = clock.monotonicMs() + limitMs;
      for (const [index, model] of models.entries()) {
        let hasBegun = false;
        try {
          const firstByteMs = (endMs - clock.monotonicMs()) / (models.length - index);
          const answer = Number.isFinite(firstByteMs)
            ? streamWithin(model, { ...request, firstByteMs }, { clock, limitMs: firstByteMs })
            : model.stream(request);
          for await (const event of answer) {
            hasBegun = true;
            yield event.type === 'end' && index > 0 ? { model: model.name, ...event } : event;
          }
          return;
        } catch (error) {
          const next = models[index + 1];
          if (hasBegun || !next || !(error instanceof ModelError) || !PASSED_ON.has(error.fault)) throw error;
          onFallback?.(model, error, next);
        }
      }
    },
  };
}
