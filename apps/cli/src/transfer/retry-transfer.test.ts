import { createError } from '@berth/contract/errors';
import { createFakeClock } from '@berth/testkit';
import { expect, test } from 'vitest';
import { retryTransfer } from './retry-transfer.ts';

const busy = createError('unavailable', 'Busy.');

/** Runs a transfer to its end and returns the waits between its tries. */
async function waitsOf(transfer: (attempt: number) => Promise<string>, progressBytes = () => 0) {
  const clock = createFakeClock();
  const waits: number[] = [];
  const sleep = async (delayMs: number) => void waits.push(delayMs);
  const { signal } = new AbortController();
  const result = await retryTransfer(transfer, { clock: { ...clock, sleep }, signal, progressBytes }).catch(
    (error: unknown) => error,
  );
  return { result, waits };
}

test('what fails for a while is tried six times, with longer waits each time', async () => {
  const { result, waits } = await waitsOf(async () => Promise.reject(busy));
  // Fails when the bound is another, or the wait doesn't grow.
  expect([result, waits]).toEqual([busy, [500, 1_000, 2_000, 4_000, 8_000]]);
  const healed = await waitsOf(async (attempt) => (attempt < 2 ? Promise.reject(busy) : 'done'));
  expect(healed).toEqual({ result: 'done', waits: [500, 1_000] });
});

test('progress since the last failure begins the count anew', async () => {
  let bytes = 0;
  const transfer = async (attempt: number) => {
    if (attempt < 9) {
      bytes += 1;
      throw busy;
    }
    return 'done';
  };
  // Fails when progress isn't counted: a large upload over a bad line would end at its sixth break.
  expect(await waitsOf(transfer, () => bytes)).toEqual({ result: 'done', waits: Array(9).fill(500) });
});

test('bytes that were lost are no progress', async () => {
  const left = [5, 4, 3, 2, 1, 0];
  let bytes = 9;
  const { result, waits } = await waitsOf(
    async () => {
      bytes = left.shift() ?? 0;
      throw busy;
    },
    () => bytes,
  );
  // Fails when `>` becomes `!==`: an upload that loses ground would be tried without end.
  expect([result, waits.length]).toEqual([busy, 5]);
});

test.each([createError('conflict', 'It is there.'), new TypeError('a fault')])(
  '%s is not tried again',
  async (error) => {
    expect(await waitsOf(async () => Promise.reject(error))).toEqual({ result: error, waits: [] });
  },
);

test('an abort ends the wait between two tries with its reason', async () => {
  const clock = createFakeClock();
  const stop = new AbortController();
  let tries = 0;
  const transfer = async () => {
    tries++;
    throw busy;
  };
  const run = retryTransfer(transfer, { clock, signal: stop.signal, progressBytes: () => 0 });
  await clock.elapse(0);
  stop.abort(new Error('enough'));
  // Fails when the wait isn't given the signal: Ctrl-C would take up to 15 seconds.
  await expect(run).rejects.toThrow('enough');
  expect([tries, clock.pending]).toEqual([1, 0]);
});
