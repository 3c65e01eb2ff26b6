import { expect, test } from 'vitest';
import { createNodeLogFiles } from '../lines/log-files.ts';
import { createTemporaryStore, printed, SCOPE } from '../testing/temporary-store.ts';
import { parseFilter } from './filter/parse-filter.ts';

const filter = parseFilter('one');

test('searches of an account wait for each other up to a bound, reads without a filter and other accounts do not', async () => {
  const nodeFiles = createNodeLogFiles();
  let gate: Promise<void> = Promise.resolve();
  const files = {
    ...nodeFiles,
    openForReading: async (path: string) => {
      await gate;
      return nodeFiles.openForReading(path);
    },
  };
  const searches = { running: 2, runningPerAccount: 1, waitingPerAccount: 1 };
  await using temporary = await createTemporaryStore({ files, limits: { searches } });
  const { store } = temporary;
  const rival = { account: 'rival', deployment: 'shop' };
  for (const scope of [SCOPE, rival]) await store.append(scope, printed('one', 'two'));
  await store.flush();
  const search = async (scope = SCOPE, signal?: AbortSignal) => {
    const entries = await store.read(scope, {
      limit: 10,
      ...(filter ? { filter } : {}),
      ...(signal ? { signal } : {}),
    });
    return entries.map((entry) => entry.message);
  };
  const opened = Promise.withResolvers<void>();
  gate = opened.promise;
  const leave = new AbortController();
  const running = search();
  const waiting = search(SCOPE, leave.signal);
  await expect(search()).rejects.toMatchObject({
    code: 'too_many_requests',
    message: 'The account has 1 searches of logs queued. Try again when some have finished.',
  });
  leave.abort(new Error('gone'));
  await expect(waiting).rejects.toThrow('gone');
  const next = search();
  const others = search(rival);
  const plain = store.read(SCOPE, { limit: 10 });
  opened.resolve();
  expect(await Promise.all([running, next, others])).toEqual([['one'], ['one'], ['one']]);
  expect(await plain).toHaveLength(2);
});
