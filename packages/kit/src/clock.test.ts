import { expect, it } from 'vitest';
import { createSystemClock } from './clock.ts';

it('ends a sleep with the reason of its signal', async () => {
  const clock = createSystemClock();
  const controller = new AbortController();
  const sleep = clock.sleep(60_000, controller.signal);
  controller.abort(new Error('enough'));
  await expect(sleep).rejects.toThrow('enough');
  await expect(clock.sleep(1, controller.signal)).rejects.toThrow('enough');
});

it('does not fire a timer that was canceled', async () => {
  const clock = createSystemClock();
  let fired = false;
  clock
    .setTimer(1, () => {
      fired = true;
    })
    .cancel();
  await clock.sleep(10);
  expect(fired).toBe(false);
});
