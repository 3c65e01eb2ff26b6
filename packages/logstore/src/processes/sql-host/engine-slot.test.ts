import { expect, onTestFinished, test } from 'vitest';
import type { Sandbox } from '../../query/sql/open-sandbox.ts';
import { createEngineSlot, type EngineSlotLimits } from './engine-slot.ts';

const OPTIONS = { allowedFolders: ['/nowhere/acc_1'], memoryBytes: 2 ** 27, threads: 1 };

function openSlot(limits: Partial<EngineSlotLimits> = {}) {
  const slot = createEngineSlot({ queries: 100, idleMs: 60_000, ...limits });
  onTestFinished(() => slot.close());
  return { slot, take: (account: string, options = OPTIONS) => slot.use(account, options, async (engine) => engine) };
}

/** An engine that has ended takes no connection. */
async function hasEnded(engine: Sandbox): Promise<boolean> {
  return engine.connect().then(
    (connection) => {
      connection.closeSync();
      return false;
    },
    () => true,
  );
}

test('an engine serves the account that it was made for, and only with the folders it was made for', async () => {
  const { take } = openSlot();
  const first = await take('acc_1');
  expect(await take('acc_1')).toBe(first);
  const other = await take('acc_2');
  expect(other).not.toBe(first);
  expect(await hasEnded(first)).toBe(true);
  expect(await take('acc_2', { ...OPTIONS, allowedFolders: ['/nowhere/other'] })).not.toBe(other);
});

test('an error, the last of its queries, and idleness end an engine', async () => {
  const { slot, take } = openSlot({ queries: 2 });
  const failed = await take('acc_1');
  await expect(slot.use('acc_1', OPTIONS, async () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await hasEnded(failed)).toBe(true);
  const used = await take('acc_1');
  expect(await take('acc_1')).toBe(used);
  expect(await hasEnded(used)).toBe(true);
  const idle = await openSlot({ idleMs: 1 }).take('acc_1');
  await expect.poll(() => hasEnded(idle)).toBe(true);
});

test('what a connection holds is in no other, and settings are locked for all', async () => {
  const { slot } = openSlot();
  await slot.use('acc_1', OPTIONS, async (engine) => {
    const one = await engine.connect();
    await one.run('CREATE TEMP TABLE mine AS SELECT 1 AS a');
    await one.run('CREATE TEMP MACRO my_macro() AS 1');
    await one.run('SET VARIABLE mine = 1');
    await one.run('PREPARE my_query AS SELECT 1');
    const other = await engine.connect();
    for (const sql of ['SELECT * FROM mine', 'SELECT my_macro()', 'EXECUTE my_query']) {
      await expect(other.run(sql)).rejects.toThrow();
    }
    expect((await other.runAndReadAll("SELECT getvariable('mine')")).getRows()).toEqual([[null]]);
    for (const sql of ["SET TimeZone = 'Asia/Tokyo'", "SET allowed_directories = ['/']", 'SET threads = 8']) {
      await expect(other.run(sql)).rejects.toThrow(/locked|external/);
    }
    one.closeSync();
    other.closeSync();
  });
});

test("an engine that ends while a connection of it is made doesn't allow the process with it", async () => {
  for (let round = 0; round < 20; round++) {
    const { slot } = openSlot();
    const made = await slot.use('acc_1', OPTIONS, async (engine) => engine.connect());
    const late = await slot.use('acc_1', OPTIONS, async (engine) => [engine.connect(), engine.connect()]);
    slot.close();
    for (const connection of [made, ...(await Promise.all(late))]) connection.closeSync();
  }
});
