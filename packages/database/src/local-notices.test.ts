import { expect, test } from 'vitest';
import { openDatabase } from './open-database.ts';

// Fails when a subscriber is woken by what was rolled back, or before the rows that it would look for are there.
test('notices of a transaction arrive when it is committed, and those of a failed one never', async () => {
  const { db, notices, close } = await openDatabase({ file: ':memory:' });
  const heard: (string | undefined)[] = [];
  const unsubscribe = notices.subscribe('change', (payload) => void heard.push(payload));
  await db.transaction().execute(async (transaction) => {
    await notices.publish('change', 'first', transaction);
    expect(heard).toEqual([]);
  });
  expect(heard).toEqual(['first']);
  const failing = db.transaction().execute(async (transaction) => {
    await notices.publish('change', 'never', transaction);
    throw new Error('stop');
  });
  await expect(failing).rejects.toThrow('stop');
  unsubscribe();
  await notices.publish('change', 'unheard');
  expect(heard).toEqual(['first']);
  await close();
});
