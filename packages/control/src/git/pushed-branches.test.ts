import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openTestDatabase } from '@berth/database/testing';
import type { AccountId } from '@berth/kit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createPushedBranches, type PushedBranch } from './pushed-branches.ts';

const ACCOUNT = 'acc' as AccountId;
const [A, B, C] = ['a', 'b', 'c'].map((digit) => digit.repeat(40)) as [string, string, string];

let folder: string;
let database: Awaited<ReturnType<typeof openTestDatabase>>;
beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'berth-pushes-'));
  database = await openTestDatabase(path.join(folder, 'berth.sqlite'));
  const { db } = database;
  await db
    .insertInto('accounts')
    .values({ id: ACCOUNT, name: 'acc', plan: 'free', is_operator: 0, created_at: 0 })
    .execute();
  await db
    .insertInto('deployments')
    .values({
      ...{ name: 'shop', account_id: ACCOUNT, status: 'ready', settings: null, current_revision: null },
      ...{ environment_version: 0, last_deploy: null, created_at: 0, updated_at: 0 },
    })
    .execute();
});
afterEach(async () => {
  await database.close();
  rmSync(folder, { recursive: true });
});

/** Records a push as of `from`, with a deploy in a step; undefined: its record has expired. */
async function push(
  commit: string,
  step: 'building' | 'done' | 'failed' | 'cancelled' | undefined,
  from?: PushedBranch,
) {
  const branches = createPushedBranches(database.db);
  const deployId = `dpl_${crypto.randomUUID()}`;
  const { count } = await database.db
    .selectFrom('deploys')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  if (step !== undefined) {
    await database.db
      .insertInto('deploys')
      .values({
        ...{ id: deployId, account_id: ACCOUNT, deployment: 'shop', number: Number(count) + 1, kind: 'deploy', step },
        ...{ actor_kind: 'key', actor_id: 'k', settings: null, archive: null, target_revision: null, changes: null },
        ...{ revision: null, lease_owner: null, lease_expires_at: null, attempts: 0, is_cancel_requested: 0 },
        ...{ released_at: null, code: null, last_seq: 0, created_at: 0, updated_at: 0, ended_at: null },
      })
      .execute();
  }
  const seen = from ?? (await branches.get(ACCOUNT, 'shop'));
  await branches.advance(ACCOUNT, 'shop', seen, { commit, deployId, object: `shop/${commit}.pack` }, 1);
}

const get = () => createPushedBranches(database.db).get(ACCOUNT, 'shop');

describe('a pushed branch', () => {
  it('is main, without a commit, before the first push', async () => {
    expect(await get()).toMatchObject({ name: 'main', version: 0, commit: undefined, object: undefined });
  });

  it.each([
    ['runs', 'building', B, A],
    ['succeeded', 'done', B, B],
    ['failed', 'failed', A, A],
    ['was canceled', 'cancelled', A, A],
    ['has expired', undefined, B, B],
  ] as const)('whose deploy %s is where clients may build on it', async (_title, step, commit, deployed) => {
    await push(A, 'done');
    await push(B, step);
    expect(await get()).toMatchObject({ commit, deployed, object: `shop/${B}.pack` });
  });

  it('goes back past a push that failed under it', async () => {
    await push(A, 'done');
    await push(B, 'building');
    const running = await get();
    await push(C, 'failed', running);
    // B may still fail, so the branch is at the commit that is known to be deployed.
    expect(await get()).toMatchObject({ commit: A, deployed: A });
  });

  it('is changed by one of two who read it', async () => {
    const first = await get();
    await push(A, 'done', first);
    await expect(push(B, 'done', first)).rejects.toMatchObject({ code: 'conflict' });
    const second = await get();
    await createPushedBranches(database.db).rename(ACCOUNT, 'shop', second, 'release', 2);
    await expect(push(B, 'done', second)).rejects.toMatchObject({ code: 'conflict' });
    expect(await get()).toMatchObject({ name: 'release', commit: A });
  });

  it('is not another account’s, and goes with its deployment', async () => {
    await push(A, 'done');
    expect(await createPushedBranches(database.db).get('other' as AccountId, 'shop')).toMatchObject({ version: 0 });
    await database.db.deleteFrom('deployments').execute();
    expect(await get()).toMatchObject({ version: 0, commit: undefined });
  });
});
