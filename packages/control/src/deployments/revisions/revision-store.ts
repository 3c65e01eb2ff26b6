import { randomInt } from 'node:crypto';
import type { DeploySettings } from '@berth/contract';
import type { Database, RevisionsTable } from '@berth/database';
import type { AccountId, DeployId } from '@berth/kit';
import type { Artifact } from '@berth/runtime';
import type { Kysely, Selectable } from 'kysely';
import type { RouteState } from '../store/deployment-store.ts';
import { parseSettings } from '../store/parse-settings.ts';

/**
 * The state of a revision. `ready`: it serves, or can be rolled back to; `retired`: its artifact was removed to save space;
 * `failed`: its deploy failed.
 */
export interface RevisionRecord {
  readonly accountId: AccountId;
  readonly deployment: string;
  /** From 1, rising. */
  readonly number: number;
  /** Its name, e.g. `hello-00001-abc`. */
  readonly revision: string;
  readonly status: 'building' | 'ready' | 'failed' | 'retired';
  readonly settings: DeploySettings;
  /** Null before the build has ended and after removal. */
  readonly artifact: Artifact | null;
  /** `sha256:<hex>` of what was built. */
  readonly digest: string | null;
  readonly environmentVersion: number;
  /** Variables that its `berth.json` requires; empty before the build has ended. */
  readonly requiredEnv: readonly string[];
  /** SHA-256 of the archive that it was built from; null in revisions from before it was recorded. */
  readonly sourceSha256: string | null;
  readonly deployId: DeployId;
  /** When it stopped serving, wall time; null while it serves, or if it never did. */
  readonly servedUntilMs: number | null;
  readonly createdAtMs: number;
}

/** Changes to a {@link RevisionRecord}. */
export type RevisionChanges = Partial<
  Pick<RevisionRecord, 'status' | 'artifact' | 'digest' | 'environmentVersion' | 'requiredEnv' | 'servedUntilMs'>
>;

/** Revisions in the database. When created with a transaction, every call is part of it. */
export type RevisionStore = ReturnType<typeof createRevisionStore>;

export function createRevisionStore(db: Kysely<Database>) {
  const of = (account: AccountId, deployment: string) =>
    db.selectFrom('revisions').selectAll().where('account_id', '=', account).where('deployment', '=', deployment);
  return {
    /** Returns a number never used before for this account and name, deleted deployments included. */
    async nextNumber(account: AccountId, deployment: string): Promise<number> {
      const { last_number } = await db
        .insertInto('revision_counters')
        .values({ account_id: account, deployment, last_number: 1 })
        .onConflict((conflict) =>
          conflict
            .columns(['account_id', 'deployment'])
            .doUpdateSet((eb) => ({ last_number: eb('revision_counters.last_number', '+', 1) })),
        )
        .returning('last_number')
        .executeTakeFirstOrThrow();
      return last_number;
    },
    async insert(revision: RevisionRecord): Promise<void> {
      await db
        .insertInto('revisions')
        .values({
          account_id: revision.accountId,
          deployment: revision.deployment,
          number: revision.number,
          revision: revision.revision,
          status: revision.status,
          settings: JSON.stringify(revision.settings),
          artifact: revision.artifact && JSON.stringify(revision.artifact),
          digest: revision.digest,
          environment_version: revision.environmentVersion,
          required_env: JSON.stringify(revision.requiredEnv),
          source_sha256: revision.sourceSha256,
          deploy_id: revision.deployId,
          served_until: revision.servedUntilMs,
          created_at: revision.createdAtMs,
        })
        .execute();
    },
    /** Finds nothing for null. */
    async find(account: AccountId, deployment: string, revision: string | null): Promise<RevisionRecord | undefined> {
      if (revision === null) return undefined;
      const row = await of(account, deployment).where('revision', '=', revision).executeTakeFirst();
      return row && toRecord(row);
    },
    /** Newest first. */
    async list(account: AccountId, deployment: string): Promise<RevisionRecord[]> {
      return (await of(account, deployment).orderBy('number', 'desc').execute()).map(toRecord);
    },
    async update(
      account: AccountId,
      deployment: string,
      revision: string,
      { status, artifact, digest, environmentVersion, requiredEnv, servedUntilMs }: RevisionChanges,
    ): Promise<void> {
      await db
        .updateTable('revisions')
        .set({
          ...(status === undefined ? {} : { status }),
          ...(artifact === undefined ? {} : { artifact: artifact && JSON.stringify(artifact) }),
          ...(digest === undefined ? {} : { digest }),
          ...(environmentVersion === undefined ? {} : { environment_version: environmentVersion }),
          ...(requiredEnv === undefined ? {} : { required_env: JSON.stringify(requiredEnv) }),
          ...(servedUntilMs === undefined ? {} : { served_until: servedUntilMs }),
        })
        .where('account_id', '=', account)
        .where('deployment', '=', deployment)
        .where('revision', '=', revision)
        .execute();
    },
    async delete(account: AccountId, deployment: string, revision: string): Promise<void> {
      await db
        .deleteFrom('revisions')
        .where('account_id', '=', account)
        .where('deployment', '=', deployment)
        .where('revision', '=', revision)
        .execute();
    },
  };
}

/** Returns every artifact that a revision of any account needs, which a clean-up must keep. */
export async function listAllArtifacts(db: Kysely<Database>): Promise<Artifact[]> {
  const rows = await db
    .selectFrom('revisions')
    .select('artifact')
    .where('artifact', 'is not', null)
    .distinct()
    .execute();
  return rows.map((row) => JSON.parse(row.artifact ?? 'null') as Artifact);
}

/** Returns the current revisions of all accounts with their routes, except those of deployments that are being deleted. */
export async function listServingRevisions(db: Kysely<Database>): Promise<(RevisionRecord & RouteState)[]> {
  const rows = await db
    .selectFrom('revisions')
    .innerJoin('deployments', (join) =>
      join
        .onRef('deployments.name', '=', 'revisions.deployment')
        .onRef('deployments.current_revision', '=', 'revisions.revision'),
    )
    .selectAll('revisions')
    .select(['deployments.stopped_at', 'deployments.generation'])
    .where('deployments.status', '!=', 'deleting')
    .execute();
  return rows.map(({ stopped_at, generation, ...row }) => ({ ...toRecord(row), generation, stoppedAtMs: stopped_at }));
}

function toRecord(row: Selectable<RevisionsTable>): RevisionRecord {
  return {
    accountId: row.account_id as AccountId,
    deployment: row.deployment,
    number: row.number,
    revision: row.revision,
    status: row.status,
    settings: parseSettings(row.settings),
    artifact: row.artifact === null ? null : (JSON.parse(row.artifact) as Artifact),
    digest: row.digest,
    environmentVersion: row.environment_version,
    requiredEnv: JSON.parse(row.required_env ?? '[]') as string[],
    sourceSha256: row.source_sha256,
    deployId: row.deploy_id as DeployId,
    servedUntilMs: row.served_until,
    createdAtMs: row.created_at,
  };
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

/**
 * Returns the name of a revision, e.g. `hello-00001-abc`, which services get in `K_REVISION`.
 * The number alone makes it unique for its deployment; the letters keep people from guessing the next one.
 */
export function revisionName(
  deployment: string,
  number: number,
  randomBelow: (bound: number) => number = (bound) => randomInt(bound),
): string {
  let letters = '';
  for (let i = 0; i < 3; i++) letters += LETTERS[randomBelow(LETTERS.length)];
  return `${deployment}-${String(number).padStart(5, '0')}-${letters}`;
}
