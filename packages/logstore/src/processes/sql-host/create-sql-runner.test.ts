import { createSilentLogger, createSystemClock } from '@berth/kit';
import { afterEach, expect, test } from 'vitest';
import { createSqlRunner, type SqlRunner, type SqlRunnerLimits } from './create-sql-runner.ts';

const SLOW = 'SELECT COUNT(*) AS n FROM range(100000000) a, range(100000) b';
const NEVER = new AbortController().signal;

let runner: SqlRunner | undefined;
let released = 0;
afterEach(() => runner?.close());

/** Every account has one log row that says whose it is. */
function createRunner(limits: Partial<SqlRunnerLimits> = {}, bytes = 0): SqlRunner {
  released = 0;
  runner = createSqlRunner({
    clock: createSystemClock(),
    logger: createSilentLogger(),
    limits: { threads: 1, ...limits },
    relationsOf: async (account) => ({
      setUp: [
        { relation: 'logs', sql: 'CREATE OR REPLACE TABLE logs AS SELECT $1::VARCHAR AS owner', values: [account] },
      ],
      allowedFolders: [],
      bytes,
      release: () => void released++,
    }),
  });
  return runner;
}

test('answers each account with its own rows, many at once', async () => {
  const { run } = createRunner();
  const accounts = Array.from({ length: 12 }, (_, index) => `acc_${index % 4}`);
  const answers = await Promise.all(accounts.map((account) => run(account, 'SELECT owner FROM logs', NEVER)));
  expect(answers.map((json) => JSON.parse(json))).toEqual(accounts.map((owner) => [{ owner }]));
  expect(released).toBe(12);
});

test('an error of the query comes back as it is, at its field', async () => {
  const { run } = createRunner();
  await expect(run('acc_1', 'SELECT nothing FROM logs', NEVER)).rejects.toMatchObject({
    code: 'invalid',
    details: { issues: [{ loc: ['body', 'query'], msg: expect.stringContaining('Binder Error') }] },
  });
});

test('a query ends when whoever asked goes, and the next one is answered', async () => {
  const { run } = createRunner();
  const leave = new AbortController();
  const running = run('acc_1', SLOW, leave.signal);
  setTimeout(() => leave.abort(new Error('gone')), 300);
  await expect(running).rejects.toThrow('gone');
  expect(await run('acc_1', 'SELECT 1 AS a', NEVER)).toBe('[{"a":1}]');
  expect(released).toBe(2);
});

test('an engine that dies takes no more than what it ran; the next query has a new one', async () => {
  const { run } = createRunner({ memoryBytes: 2 ** 28 });
  const doomed = expect(run('acc_1', SLOW, NEVER)).rejects.toMatchObject({ code: 'unavailable' });
  setTimeout(() => runner?.close(), 500);
  await doomed;
  expect(released).toBe(1);
});

test('one account that asks much waits for itself, not the others for it', async () => {
  const { run } = createRunner({ runningPerAccount: 1, running: 2, waitingPerAccount: 1 });
  const leave = new AbortController();
  const slow = run('acc_busy', SLOW, leave.signal).catch((error: Error) => error.message);
  const waits = run('acc_busy', 'SELECT 1 AS a', NEVER);
  await expect(run('acc_busy', 'SELECT 1 AS a', NEVER)).rejects.toMatchObject({ code: 'too_many_requests' });
  expect(await run('acc_other', 'SELECT 2 AS a', NEVER)).toBe('[{"a":2}]');
  leave.abort(new Error('gone'));
  expect(await slow).toBe('gone');
  expect(await waits).toBe('[{"a":1}]');
});

test('more to read than a query may is said, with both sizes', async () => {
  const { run } = createRunner({ scannedBytes: 2 ** 30 }, 3 * 2 ** 30);
  await expect(run('acc_1', 'SELECT 1', NEVER)).rejects.toMatchObject({
    details: { issues: [{ msg: expect.stringMatching(/3\.0 GiB.*1\.0 GiB/), type: 'scan_too_large' }] },
  });
  expect(released).toBe(1);
});

test('no query leaves anything for the next one', async () => {
  const { run } = createRunner();
  for (const sql of [
    'CREATE TEMP TABLE left_behind AS SELECT 1',
    'CREATE MACRO left_behind() AS 1',
    'SET VARIABLE left_behind = 1',
    'PREPARE left_behind AS SELECT 1',
    "SET TimeZone = 'Asia/Tokyo'",
    "ATTACH ':memory:' AS left_behind",
  ]) {
    await expect(run('acc_1', sql, NEVER)).rejects.toMatchObject({ code: 'invalid' });
    expect(await run('acc_1', "SELECT '2026-01-31'::TIMESTAMPTZ::VARCHAR AS t", NEVER)).toBe(
      '[{"t":"2026-01-31 00:00:00+00"}]',
    );
  }
  const seeded = async () => {
    await run('acc_1', 'SELECT setseed(0.5)', NEVER);
    return run('acc_1', 'SELECT random() AS r', NEVER);
  };
  expect(await seeded()).not.toBe(await seeded());
});

test('the account’s rows are those of the moment, query after query', async () => {
  let count = 0;
  runner = createSqlRunner({
    clock: createSystemClock(),
    logger: createSilentLogger(),
    limits: { threads: 1 },
    relationsOf: async (account) => ({
      setUp: [
        {
          relation: 'logs',
          sql: `CREATE OR REPLACE TABLE logs AS SELECT '${account}' AS owner, ${++count} AS n`,
        },
      ],
      allowedFolders: [],
      bytes: 0,
      release() {},
    }),
  });
  for (const [account, n] of [...['a', 'b', 'a', 'a', 'b'].entries()].map(
    ([index, name]) => [name, index + 1] as const,
  )) {
    expect(await runner.run(account, 'SELECT * FROM logs', NEVER)).toBe(JSON.stringify([{ owner: account, n }]));
  }
});
