import type { Database } from '@berth/database';
import type { AccountId, DeployId } from '@berth/kit';
import type { Kysely } from 'kysely';
import type { RouteState } from '../store/deployment-store.ts';

/** A revision that is being watched. */
export interface Canary {
  readonly revision: string;
  /** The deploy that watches it. */
  readonly deployId: DeployId;
  /** When it gets all traffic, wall time. */
  readonly endsAtMs: number;
}

/** How the traffic of a deployment is spread. */
export interface TrafficRecord {
  /** Percentages of revisions other than the current one, which gets the rest. */
  readonly shares: ReadonlyMap<string, number>;
  /** Revisions by tag. */
  readonly tags: ReadonlyMap<string, string>;
  readonly canary: Canary | undefined;
}

/** A deployment with a split or tags, as a gateway serves it. */
export interface TrafficState extends RouteState, Pick<TrafficRecord, 'shares' | 'tags'> {
  readonly account: AccountId;
  readonly deployment: string;
  readonly currentRevision: string;
}

/** Requests and errors of a revision since its canary, or that of another one, began. */
export interface CanaryCounts {
  readonly requests: number;
  readonly errors: number;
}

/** Splits, tags and canaries in the database. When created with a transaction, every call is part of it. */
export function createTrafficStore(db: Kysely<Database>) {
  const find = async (account: AccountId, deployment: string): Promise<TrafficRecord> => {
    const shares = await db
      .selectFrom('traffic_shares')
      .selectAll()
      .where('account_id', '=', account)
      .where('deployment', '=', deployment)
      .orderBy('revision')
      .execute();
    const tags = await db
      .selectFrom('traffic_tags')
      .selectAll()
      .where('account_id', '=', account)
      .where('deployment', '=', deployment)
      .orderBy('tag')
      .execute();
    const canary = await db
      .selectFrom('canaries')
      .selectAll()
      .where('account_id', '=', account)
      .where('deployment', '=', deployment)
      .executeTakeFirst();
    return {
      shares: new Map(shares.map(({ revision, percent }) => [revision, percent])),
      tags: new Map(tags.map(({ tag, revision }) => [tag, revision])),
      canary: canary && {
        ...{ revision: canary.revision, deployId: canary.deploy_id as DeployId },
        endsAtMs: canary.ends_at,
      },
    };
  };
  const setShares = async (account: AccountId, deployment: string, shares: ReadonlyMap<string, number>) => {
    const own = { account_id: account, deployment };
    await db
      .deleteFrom('traffic_shares')
      .where('account_id', '=', account)
      .where('deployment', '=', deployment)
      .execute();
    const rows = [...shares].map(([revision, percent]) => ({ ...own, revision, percent }));
    if (rows.length > 0) await db.insertInto('traffic_shares').values(rows).execute();
  };
  const endCanary = async (account: AccountId, deployment: string) => {
    await db.deleteFrom('canaries').where('account_id', '=', account).where('deployment', '=', deployment).execute();
    await db.deleteFrom('canary_counts').where('deployment', '=', deployment).execute();
  };
  return {
    find,
    /** Replaces the shares of revisions other than the current one. */
    setShares,
    /** Gives all traffic to the current revision. Tags stay. */
    async endSplit(account: AccountId, deployment: string): Promise<void> {
      await setShares(account, deployment, new Map());
      await endCanary(account, deployment);
    },
    /** Gives a tag to a revision, and takes it from any other. */
    async setTag(account: AccountId, deployment: string, tag: string, revision: string): Promise<void> {
      await db
        .insertInto('traffic_tags')
        .values({ account_id: account, deployment, tag, revision })
        .onConflict((conflict) => conflict.columns(['deployment', 'tag']).doUpdateSet({ revision }))
        .execute();
    },
    async removeTags(account: AccountId, deployment: string, tags: readonly string[]): Promise<void> {
      if (tags.length === 0) return;
      const own = db.deleteFrom('traffic_tags').where('account_id', '=', account).where('deployment', '=', deployment);
      await own.where('tag', 'in', tags).execute();
    },
    /** Removes the tags of a revision that is gone. */
    async removeTagsOf(account: AccountId, deployment: string, revision: string): Promise<void> {
      const own = db.deleteFrom('traffic_tags').where('account_id', '=', account).where('deployment', '=', deployment);
      await own.where('revision', '=', revision).execute();
    },
    /** Gives a revision a share and counts its requests from now on. Ends any other split. */
    async beginCanary(account: AccountId, deployment: string, canary: Canary, percent: number): Promise<void> {
      await endCanary(account, deployment);
      await setShares(account, deployment, new Map([[canary.revision, percent]]));
      await db
        .insertInto('canaries')
        .values({
          ...{ account_id: account, deployment, revision: canary.revision },
          ...{ deploy_id: canary.deployId, ends_at: canary.endsAtMs },
        })
        .execute();
    },
    /** Returns what was counted of a deployment's canary and of its current revision, by revision. */
    async readCounts(account: AccountId, deployment: string): Promise<ReadonlyMap<string, CanaryCounts>> {
      const rows = await db
        .selectFrom('canary_counts as counts')
        .innerJoin('canaries', 'canaries.deployment', 'counts.deployment')
        .select(['counts.revision', 'counts.requests', 'counts.errors'])
        .where('canaries.account_id', '=', account)
        .where('counts.deployment', '=', deployment)
        .execute();
      return new Map(rows.map(({ revision, ...counts }) => [revision, toNumbers(counts)]));
    },
  };
}

/** Returns the splits and tags of all accounts, or those of one deployment, as gateways serve them. */
export async function listTraffic(db: Kysely<Database>, deployment?: string): Promise<TrafficState[]> {
  let serving = db
    .selectFrom('deployments')
    .select(['name', 'account_id', 'current_revision', 'generation', 'stopped_at'])
    .where('status', '!=', 'deleting')
    .where('current_revision', 'is not', null)
    .where((eb) =>
      eb.or([
        eb('name', 'in', eb.selectFrom('traffic_shares').select('deployment')),
        eb('name', 'in', eb.selectFrom('traffic_tags').select('deployment')),
      ]),
    );
  let shares = db.selectFrom('traffic_shares').selectAll();
  let tags = db.selectFrom('traffic_tags').selectAll();
  if (deployment !== undefined) {
    serving = serving.where('name', '=', deployment);
    shares = shares.where('deployment', '=', deployment);
    tags = tags.where('deployment', '=', deployment);
  }
  const sharesOf = Map.groupBy(await shares.execute(), (row) => row.deployment);
  const tagsOf = Map.groupBy(await tags.execute(), (row) => row.deployment);
  return (await serving.execute()).map((row) => ({
    account: row.account_id as AccountId,
    deployment: row.name,
    currentRevision: row.current_revision ?? '',
    generation: row.generation,
    stoppedAtMs: row.stopped_at,
    shares: new Map((sharesOf.get(row.name) ?? []).map(({ revision, percent }) => [revision, percent])),
    tags: new Map((tagsOf.get(row.name) ?? []).map(({ tag, revision }) => [tag, revision])),
  }));
}

function toNumbers({ requests, errors }: CanaryCounts): CanaryCounts {
  return { requests: Number(requests), errors: Number(errors) };
}
