import { createSilentLogger } from '@berth/kit';
import { createFakeClock } from '@berth/testkit';
import { expect, it } from 'vitest';
import { watchLiveness } from './watch-liveness.ts';

function watch(ask: (nth: number) => Promise<unknown>) {
  const clock = createFakeClock();
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const seen = { asked: 0, killed: 0 };
  watchLiveness({
    name: 'control',
    ended,
    clock,
    logger: createSilentLogger(),
    ask: () => ask(++seen.asked),
    kill() {
      seen.killed++;
      end();
    },
  });
  return { clock, seen, end };
}

it('leaves a process alone that answers, late or with a failure', async () => {
  const { clock, seen } = watch(async (nth) => {
    if (nth % 2 === 0) throw new Error('busy');
    await clock.sleep(29_000);
  });
  for (let second = 0; second < 300; second++) await clock.elapse(1_000);
  expect(seen).toMatchObject({ killed: 0 });
  expect(seen.asked).toBeGreaterThan(10);
});

it('ends one that does not answer, once', async () => {
  const { clock, seen } = watch(() => new Promise(() => {}));
  await clock.elapse(34_000);
  expect(seen).toEqual({ asked: 1, killed: 0 });
  await clock.elapse(1_000);
  expect(seen).toEqual({ asked: 1, killed: 1 });
  await clock.elapse(120_000);
  expect(seen).toEqual({ asked: 1, killed: 1 });
});

it('asks no more of one that has ended', async () => {
  const { clock, seen, end } = watch(async () => {});
  await clock.elapse(5_000);
  end();
  await clock.elapse(120_000);
  expect(seen).toEqual({ asked: 1, killed: 0 });
});
