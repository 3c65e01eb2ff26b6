import { nameActors } from '@berth/accounts';
import type { DeployPage, DeploySummary } from '@berth/contract';
import type { Database } from '@berth/database';
import type { AccountId } from '@berth/kit';
import type { Kysely } from 'kysely';
import type { LastDeploys } from '../../revisions/deployment-view.ts';
import { createDeploymentStore } from '../../store/deployment-store.ts';
import type { DeployMessage } from './deploy-event-log.ts';
import { type DeployRecord, toDeployRecord } from './deploy-record.ts';

export interface DeployQuery {
  readonly account: AccountId;
  /** Filter by deployment. */
  readonly name?: string | undefined;
  readonly state?: 'active' | 'ended' | undefined;
  readonly limit: number;
  /** The previous page's `next_page_token`. */
  readonly before?: string | undefined;
}

/** Characters kept of a deploy's last message, since a line of build output has no bound. */
const MESSAGE_CHARACTERS = 500;

/** The deploys of an account, running and ended. */
export type DeployHistory = ReturnType<typeof createDeployHistory>;

export function createDeployHistory(db: Kysely<Database>) {
  return {
    /** Returns the newest deploys of all deployments of the account, or of one. Those whose record has expired are left out. */
    async listLast(account: AccountId, name?: string): Promise<LastDeploys> {
      let query = db
        .selectFrom('deployments')
        .innerJoin('deploys', 'deploys.id', 'deployments.last_deploy')
        .select(['deploys.id', 'deploys.step', 'deploys.created_at', 'deploys.actor_kind', 'deploys.actor_id'])
        .where('deployments.account_id', '=', account);
      if (name !== undefined) query = query.where('deployments.name', '=', name);
      const rows = await query.execute();
      const actors = rows.flatMap(({ actor_kind: kind, actor_id: id }) => (kind === null ? [] : { kind, id }));
      const nameOf = await nameActors(db, account, actors);
      return new Map(
        rows.map(({ id, step, created_at, actor_kind: kind, actor_id }) => {
          const actor = kind && { kind, id: actor_id, ...nameOf({ kind, id: actor_id }) };
          return [id, { deploy_id: id, status: step, created_at: new Date(created_at).toISOString(), actor }];
        }),
      );
    },
    /** Newest first. @throws `not_found` for a free name, `forbidden` for another account's. */
    async list({ account, name, state, limit, before }: DeployQuery): Promise<DeployPage> {
      let query = db
        .selectFrom('deploys')
        .leftJoin('deploy_events', (join) =>
          join.onRef('deploy_events.deploy_id', '=', 'deploys.id').onRef('deploy_events.seq', '=', 'deploys.last_seq'),
        )
        .selectAll('deploys')
        .select('deploy_events.body')
        .where('deploys.account_id', '=', account);
      if (name !== undefined) {
        await createDeploymentStore(db).get(account, name);
        query = query.where('deploys.deployment', '=', name);
      }
      if (state !== undefined) query = query.where('deploys.ended_at', state === 'active' ? 'is' : 'is not', null);
      if (before !== undefined) query = query.where('deploys.id', '<', before);
      // One extra row shows whether there is another page.
      const rows = await query
        .orderBy('deploys.id', 'desc')
        .limit(limit + 1)
        .execute();
      const page = rows.slice(0, limit).map((row) => ({ deploy: toDeployRecord(row), body: row.body }));
      const nameOf = await nameActors(
        db,
        account,
        page.flatMap(({ deploy: { actor } }) => actor ?? []),
      );
      return {
        deploys: page.map(({ deploy, body }) => {
          const { message } = JSON.parse(body ?? '{"message":""}') as DeployMessage;
          const actor = deploy.actor && { ...deploy.actor, ...nameOf(deploy.actor) };
          return toSummary(deploy, message.slice(0, MESSAGE_CHARACTERS), actor);
        }),
        next_page_token: rows.length > limit ? (page.at(-1)?.deploy.id ?? null) : null,
      };
    },
  };
}

function toSummary(deploy: DeployRecord, message: string, actor: DeploySummary['actor']): DeploySummary {
  const { id, deployment, kind, step, code, revision, commit, isCancelRequested, createdAtMs, endedAtMs } = deploy;
  return {
    deploy_id: id,
    deployment,
    kind,
    status: step,
    message,
    code,
    revision,
    actor,
    ...(commit && { commit }),
    is_cancel_requested: isCancelRequested,
    created_at: new Date(createdAtMs).toISOString(),
    ended_at: endedAtMs === null ? null : new Date(endedAtMs).toISOString(),
  };
}
