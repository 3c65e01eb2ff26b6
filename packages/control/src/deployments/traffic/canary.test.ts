import { mkdtempDisposableSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openTestDatabase } from '@berth/database/testing';
import type { RequestRecord } from '@berth/gateway';
import { createSilentLogger } from '@berth/kit';
import { createFakeClock, waitUntil } from '@berth/testkit';
import { expect, test } from 'vitest';
import { isClearlyWorse } from './canary.ts';
import { CANARY_STEP_MS, createCanaryCounter } from './canary-counts.ts';

test.each([
  // Few errors say nothing, however bad the share.
  [{ requests: 4, errors: 4 }, { requests: 100, errors: 0 }, false],
  [{ requests: 5, errors: 5 }, { requests: 100, errors: 0 }, true],
  // 5 % and twice the errors of the current revision are the limits, and are allowed.
  [{ requests: 100, errors: 5 }, { requests: 100, errors: 0 }, false],
  [{ requests: 100, errors: 6 }, { requests: 100, errors: 0 }, true],
  [{ requests: 100, errors: 20 }, { requests: 100, errors: 10 }, false],
  [{ requests: 100, errors: 21 }, { requests: 100, errors: 10 }, true],
  [{ requests: 0, errors: 0 }, { requests: 0, errors: 0 }, false],
])('%j beside %j is worse: %s', (canary, current, isWorse) => {
  expect(isClearlyWorse(canary, current)).toBe(isWorse);
});

test('counts the requests of deployments with a canary, and those of several servers add up', async () => {
  using folder = mkdtempDisposableSync(path.join(tmpdir(), 'berth-canary-'));
  const { db, close } = await openTestDatabase(path.join(folder.path, 'berth.sqlite'));
  const account = { id: 'acc', name: 'acme', plan: 'free', is_operator: 0, created_at: 0 };
  await db.insertInto('accounts').values(account).execute();
  for (const name of ['shop', 'blog']) {
    const row = { name, account_id: 'acc', status: 'ready' as const, settings: null, current_revision: `${name}-1` };
    const rest = { environment_version: 0, last_deploy: null, created_at: 0, updated_at: 0 };
    await db
      .insertInto('deployments')
      .values({ ...row, ...rest })
      .execute();
  }
  const canary = { deployment: 'shop', account_id: 'acc', revision: 'shop-2', deploy_id: 'dpl_1', ends_at: 9 };
  await db.insertInto('canaries').values(canary).execute();
  const clock = createFakeClock();
  const counters = [1, 2].map(() => createCanaryCounter({ db, clock, logger: createSilentLogger() }));
  for (const { start } of counters) start();
  const rows = () => db.selectFrom('canary_counts').selectAll().execute();
  const send = (deployment: string, revision: string, status: number) => {
    for (const { gatewayListener } of counters) {
      gatewayListener.onRequest({ deployment, revision, status } as RequestRecord);
    }
  };
  await waitUntil('they count', async () => {
    send('shop', 'shop-1', 200);
    clock.advance(CANARY_STEP_MS);
    return (await rows()).length > 0;
  });
  send('shop', 'shop-2', 503);
  send('shop', 'shop-2', 404);
  send('blog', 'blog-1', 500);
  await waitUntil('they have written', async () => {
    clock.advance(CANARY_STEP_MS);
    return (await rows()).find(({ revision }) => revision === 'shop-2')?.requests === 4;
  });
  expect((await rows()).find(({ revision }) => revision === 'shop-2')).toMatchObject({ requests: 4, errors: 2 });
  expect((await rows()).every(({ deployment }) => deployment === 'shop')).toBe(true);
  for (const counter of counters) await counter.close();
  await close();
});
