import { open, readdir, rm, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { createSilentLogger, createSystemClock, type LogFields } from '@berth/kit';
import { expect, onTestFinished, test } from 'vitest';
import type { FileLogStore } from '../ports/log-store.ts';
import { createLogEngine } from '../processes/log-engine/create-log-engine.ts';
import { createSqlRunner } from '../processes/sql-host/create-sql-runner.ts';
import { logsRelation } from '../query/sql/logs-relation.ts';
import { createTemporaryStore, printed, SCOPE, type TemporaryStore } from '../testing/temporary-store.ts';

const BLOG = { ...SCOPE, deployment: 'blog' };
const COUNT = 'SELECT count(*)::INTEGER AS n FROM logs';

/** A store with several Parquet segments for the shop, an entry for the blog, and what it logged as errors. */
async function createDamagedStore(damage: (paths: readonly string[]) => Promise<unknown>) {
  const errors: LogFields[] = [];
  const logger = { ...createSilentLogger(), error: (fields: LogFields) => void errors.push(fields) };
  logger.child = () => logger;
  const createEngine = () => createLogEngine({ clock: createSystemClock(), logger: createSilentLogger(), threads: 1 });
  const temporary = await createTemporaryStore({ limits: { segmentBytes: 2_000 }, createEngine, logger });
  onTestFinished(() => temporary[Symbol.asyncDispose]());
  for (let n = 0; n < 40; n++) {
    await temporary.store.append(SCOPE, printed(`${n} ${'x'.repeat(200)}`));
    await temporary.store.flush();
  }
  await temporary.store.append(BLOG, printed('whole'));
  await temporary.store.flush();
  const names = () => readdir(temporary.logFolder);
  await expect
    .poll(async () => (await names()).filter((name) => name.endsWith('.log')).length, { timeout: 20_000 })
    .toBe(1);
  const paths = (await names()).filter((name) => name.endsWith('.parquet')).sort();
  await damage(paths.map((name) => join(temporary.logFolder, name)));
  return { temporary, errors, store: temporary.store as FileLogStore };
}

const readAll = async ({ store }: Pick<TemporaryStore, 'store'>) =>
  (await store.read(SCOPE, { limit: 1_000 })).map(({ message }) => message);

function runnerOf(store: Pick<FileLogStore, 'snapshot'>) {
  const runner = createSqlRunner({
    clock: createSystemClock(),
    logger: createSilentLogger(),
    async relationsOf(account, isExamined) {
      const snapshot = await store.snapshot(account, isExamined);
      const { folders: allowedFolders, bytes, release } = snapshot;
      return { setUp: [logsRelation(snapshot)], allowedFolders, bytes, release };
    },
  });
  onTestFinished(() => runner.close());
  return (query: string) => runner.run(SCOPE.account, query, new AbortController().signal);
}

/** Overwrites what tells where the columns are, and leaves size and end as they were. */
async function scramble(path: string): Promise<void> {
  const { size } = await stat(path);
  await using file = await open(path, 'r+');
  await file.write(Buffer.alloc(size - 16, 0xff), 0, size - 16, 4);
}

// Fails when `onSegments` doesn't examine: the read is refused with 503 for ever.
test.each([
  ['missing', (path: string) => rm(path)],
  ['cut', (path: string) => truncate(path, 100)],
  ['scrambled', scramble],
])('a segment that is %s costs its own entries, and is told of once', { timeout: 60_000 }, async (_what, damage) => {
  const { temporary, store, errors } = await createDamagedStore(([, second = '']) => damage(second));
  const messages = await readAll(temporary);
  expect(messages.length).toBeGreaterThan(20);
  expect(messages.length).toBeLessThan(40);
  expect([messages[0]?.slice(0, 2), messages.at(-1)?.slice(0, 3)]).toEqual(['0 ', '39 ']);
  expect(await readAll(temporary)).toEqual(messages);
  expect(store.damagedSegments).toBe(1);
  expect(errors.filter(({ segment }) => segment !== undefined)).toMatchObject([{ ...SCOPE }]);
});

// Fails when no examined snapshot follows: the engine refuses the query for one file among all.
test('SQL over the account goes on without segments that cannot be read', { timeout: 60_000 }, async () => {
  const { store } = await createDamagedStore(async ([first = '', second = '', third = '']) => {
    await rm(first);
    await truncate(second, 100);
    await scramble(third);
  });
  const run = runnerOf(store);
  const [{ n }] = JSON.parse(await run(COUNT)) as [{ n: number }];
  expect(n).toBeGreaterThan(20);
  expect(n).toBeLessThan(41);
  expect(store.damagedSegments).toBe(3);
});

// Fails when `toQueryError` passes the engine's words on: they have the path of the file.
test('no path of the server is in the answer to a query that meets damage', { timeout: 60_000 }, async () => {
  const { temporary, store } = await createDamagedStore(([, second = '']) => scramble(second));
  // Damage that no examination finds.
  const run = runnerOf({ ...store, snapshot: (account) => store.snapshot(account) });
  const error: Error = await run('SELECT sum(length(text_payload))::INTEGER AS n FROM logs').then(
    () => expect.fail('the damage went unseen'),
    (thrown: Error) => thrown,
  );
  expect(error).toMatchObject({ code: 'unavailable' });
  expect(error.message).not.toContain(temporary.folder);
  expect(error.message).not.toContain('.parquet');
});
