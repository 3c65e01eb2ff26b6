import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openTestDatabase } from '@berth/database/testing';
import { createFakeClock } from '@berth/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { createAttemptCounter } from './attempt-counter.ts';

const LIMIT = { windowSeconds: 60, max: 4 };

async function createCounters(isShared: boolean) {
  const folder = mkdtempSync(path.join(tmpdir(), 'berth-attempts-'));
  const { db, close } = await openTestDatabase(path.join(folder, 'berth.sqlite'));
  onTestFinished(async () => {
    await close();
    rmSync(folder, { recursive: true });
  });
  const clock = createFakeClock();
  const counter = () => createAttemptCounter({ db, clock, limit: LIMIT, isShared });
  return { clock, one: counter(), other: counter() };
}

// Fails when a restored attempt stays counted, when a refused one is counted for long, or a window never ends.
test.each([false, true])(
  'an attempt too many is refused until the window ends; in the database: %s',
  async (isShared) => {
    const { clock, one } = await createCounters(isShared);
    for (let attempt = 0; attempt < 5; attempt++) {
      await one.take('ann');
      if (attempt === 0) await one.restore('ann');
    }
    clock.advance(20_000);
    for (let again = 0; again < 3; again++) {
      await expect(one.take('ann')).rejects.toMatchObject({
        code: 'too_many_requests',
        details: { retryAfterSeconds: 40 },
      });
    }
    await one.take('bob');
    clock.advance(40_000);
    await one.take('ann');
  },
);

// Fails when each server allows as many attempts as one does.
test('servers that share a database count together', async () => {
  const { one, other } = await createCounters(true);
  await Promise.all([one.take('ann'), other.take('ann'), one.take('ann'), other.take('ann')]);
  await expect(one.take('ann')).rejects.toMatchObject({ code: 'too_many_requests' });
  await expect(other.take('ann')).rejects.toMatchObject({ code: 'too_many_requests' });
});
