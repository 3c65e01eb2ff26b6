import { createError, DEFAULT_PUSH_BRANCH } from '@berth/contract';
import type { Database, PushedBranchesTable } from '@berth/database';
import type { AccountId } from '@berth/kit';
import type { Kysely, Selectable } from 'kysely';

/** The branch of a deployment that pushes deploy. */
export interface PushedBranch {
  /** Without `refs/heads/`. */
  readonly name: string;
  /** 0 while nothing is recorded. */
  readonly version: number;
  /** The commit that clients see; undefined before the first push, and after its deploy failed. */
  readonly commit: string | undefined;
  /** The newest commit whose deploy is known to have succeeded. */
  readonly deployed: string | undefined;
  /** Path of the pack with the history of both. */
  readonly object: string | undefined;
}

/** A push to be recorded. */
export interface NewPush {
  readonly commit: string;
  readonly deployId: string;
  readonly object: string;
}

/**
 * Creates the store of pushed branches. When created with a transaction, every call is part of it.
 *
 * A push is recorded together with its deploy. While the deploy runs and after it succeeded, the branch is at the pushed commit. When it
 * failed, the branch is where it was before: pushing the same commit again deploys it again.
 */
export function createPushedBranches(db: Kysely<Database>) {
  const read = (account: AccountId, deployment: string) =>
    db
      .selectFrom('pushed_branches')
      .leftJoin('deploys', 'deploys.id', 'pushed_branches.deploy_id')
      .selectAll('pushed_branches')
      .select('deploys.step')
      .where('pushed_branches.account_id', '=', account)
      .where('pushed_branches.deployment', '=', deployment)
      .executeTakeFirst();

  const write = async (
    account: AccountId,
    deployment: string,
    version: number,
    changes: Partial<Omit<Selectable<PushedBranchesTable>, 'deployment' | 'account_id' | 'version'>>,
    nowMs: number,
  ): Promise<void> => {
    const none = { branch: DEFAULT_PUSH_BRANCH, commit_sha: null, previous_sha: null, deploy_id: null, object: null };
    const own = { ...changes, version: version + 1, updated_at: nowMs };
    const row =
      version === 0
        ? await db
            .insertInto('pushed_branches')
            .values({ ...none, ...own, account_id: account, deployment })
            .onConflict((conflict) => conflict.doNothing())
            .returning('version')
            .executeTakeFirst()
        : await db
            .updateTable('pushed_branches')
            .set(own)
            .where('account_id', '=', account)
            .where('deployment', '=', deployment)
            .where('version', '=', version)
            .returning('version')
            .executeTakeFirst();
    if (!row) throw createError('conflict', 'Another push was faster. Fetch, then push again.');
  };

  return {
    async get(account: AccountId, deployment: string): Promise<PushedBranch> {
      const row = await read(account, deployment);
      if (!row) {
        const nothing = { commit: undefined, deployed: undefined, object: undefined };
        return { name: DEFAULT_PUSH_BRANCH, version: 0, ...nothing };
      }
      const isFailed = row.step === 'failed' || row.step === 'cancelled';
      // The record of a successful deploy may have expired.
      const isDeployed = row.step === 'done' || row.step === null;
      return {
        name: row.branch,
        version: row.version,
        commit: (isFailed ? row.previous_sha : row.commit_sha) ?? undefined,
        deployed: (isDeployed ? row.commit_sha : row.previous_sha) ?? undefined,
        object: row.object ?? undefined,
      };
    },
    /** Records a push to a branch as it was read. @throws `conflict` when it has changed since. */
    advance: (account: AccountId, deployment: string, from: PushedBranch, push: NewPush, nowMs: number) =>
      write(
        account,
        deployment,
        from.version,
        {
          commit_sha: push.commit,
          previous_sha: from.deployed ?? null,
          deploy_id: push.deployId,
          object: push.object,
        },
        nowMs,
      ),
    /** Chooses another branch, at the same commit. @throws `conflict` when it has changed since. */
    rename: (account: AccountId, deployment: string, from: PushedBranch, branch: string, nowMs: number) =>
      write(account, deployment, from.version, { branch }, nowMs),
  };
}
