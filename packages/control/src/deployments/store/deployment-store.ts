import { createError, type DeploymentKind, type DeploymentStatus, type DeploySettings } from '@berth/contract';
import type { Database, DeploymentsTable } from '@berth/database';
import type { AccountId } from '@berth/kit';
import type { Kysely, Selectable } from 'kysely';
import { parseSettings } from './parse-settings.ts';

/** The state of a deployment's route beside its revision. */
export interface RouteState {
  /** Rises when it is restarted, stopped or resumed. */
  readonly generation: number;
  /** When it was stopped, wall time; null while it serves. */
  readonly stoppedAtMs: number | null;
}

/** The row of a name that an account owns. */
export interface DeploymentRecord extends RouteState {
  readonly accountId: AccountId;
  readonly name: string;
  /** `reserved`: only its environment was set; callers don't see it as a deployment. */
  readonly status: Exclude<DeploymentStatus, 'stopped'> | 'reserved';
  /** The settings of the current revision, or of the newest deploy while none ever served; null while reserved. */
  readonly settings: DeploySettings | null;
  readonly currentRevision: string | null;
  /** Version of its environment; 0 before the first change. */
  readonly environmentVersion: number;
  /** That of the current revision. */
  readonly kind: DeploymentKind;
  /** Id of the newest deploy, whose record may have expired; null before the first one. */
  readonly lastDeploy: string | null;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

/** Changes to a {@link DeploymentRecord}. */
export type DeploymentChanges = Partial<
  Pick<
    DeploymentRecord,
    'status' | 'settings' | 'currentRevision' | 'environmentVersion' | 'kind' | 'lastDeploy' | keyof RouteState
  >
> & { readonly updatedAtMs: number };

/** Deployments in the database. When created with a transaction, every call is part of it. */
export type DeploymentStore = ReturnType<typeof createDeploymentStore>;

export function createDeploymentStore(db: Kysely<Database>) {
  const ofName = (name: string) => db.selectFrom('deployments').selectAll().where('name', '=', name);
  const find = async (account: AccountId, name: string) => {
    const row = await ofName(name).where('account_id', '=', account).executeTakeFirst();
    return row && toRecord(row);
  };
  const ownership = async (account: AccountId, name: string) => {
    const row = await db.selectFrom('deployments').select('account_id').where('name', '=', name).executeTakeFirst();
    if (!row) return 'free';
    return row.account_id === account ? 'own' : 'other';
  };
  const get = async (account: AccountId, name: string) => {
    const record = await find(account, name);
    if (record) return record;
    if ((await ownership(account, name)) === 'other') throw belongsToAnother(name);
    throw createError('not_found', `No deployment is named "${shown(name)}".`);
  };
  return {
    /** Returns whether a name is free, the account's own or taken. */
    ownership,
    find,
    /**
     * The account's deployment, reserved ones included.
     * @throws `forbidden` when another account owns the name, `not_found` when it is free.
     */
    get,
    /** The names of an account's deployments, reserved ones included. */
    async listNames(account: AccountId): Promise<ReadonlySet<string>> {
      const rows = await db.selectFrom('deployments').select('name').where('account_id', '=', account).execute();
      return new Set(rows.map(({ name }) => name));
    },
    /** Newest first, reserved ones not included. */
    async list(account: AccountId): Promise<DeploymentRecord[]> {
      const rows = await db
        .selectFrom('deployments')
        .selectAll()
        .where('account_id', '=', account)
        .where('status', '!=', 'reserved')
        .orderBy('created_at', 'desc')
        .orderBy('name')
        .execute();
      return rows.map(toRecord);
    },
    /**
     * Returns the account's deployment of that name; a free name is reserved for the account.
     * @throws `forbidden` when another account owns it.
     */
    async claim(account: AccountId, name: string, nowMs: number): Promise<DeploymentRecord> {
      // When two accounts claim a name at once, the primary key admits one, and the other finds its row.
      await db
        .insertInto('deployments')
        .values({
          name,
          account_id: account,
          status: 'reserved',
          settings: null,
          current_revision: null,
          environment_version: 0,
          last_deploy: null,
          created_at: nowMs,
          updated_at: nowMs,
        })
        .onConflict((conflict) => conflict.column('name').doNothing())
        .execute();
      return get(account, name);
    },
    async update(account: AccountId, name: string, changes: DeploymentChanges): Promise<void> {
      const { status, settings, currentRevision, environmentVersion, kind, lastDeploy, updatedAtMs } = changes;
      const { stoppedAtMs, generation } = changes;
      await db
        .updateTable('deployments')
        .set({
          updated_at: updatedAtMs,
          ...(status === undefined ? {} : { status }),
          ...(settings === undefined ? {} : { settings: JSON.stringify(settings) }),
          ...(currentRevision === undefined ? {} : { current_revision: currentRevision }),
          ...(environmentVersion === undefined ? {} : { environment_version: environmentVersion }),
          ...(kind === undefined ? {} : { kind }),
          ...(lastDeploy === undefined ? {} : { last_deploy: lastDeploy }),
          ...(stoppedAtMs === undefined ? {} : { stopped_at: stoppedAtMs }),
          ...(generation === undefined ? {} : { generation }),
        })
        .where('account_id', '=', account)
        .where('name', '=', name)
        .execute();
    },
    /** Sets the status to a deploy's progress, unless the deployment is being deleted. */
    async setProgress(
      account: AccountId,
      name: string,
      status: Exclude<DeploymentStatus, 'deleting' | 'stopped'>,
      nowMs: number,
    ): Promise<void> {
      await db
        .updateTable('deployments')
        .set({ status, updated_at: nowMs })
        .where('account_id', '=', account)
        .where('name', '=', name)
        .where('status', '!=', 'deleting')
        .execute();
    },
    /** Deletes it with its revisions, environment, attachments and cron token; volumes and deploys stay. */
    async delete(account: AccountId, name: string): Promise<void> {
      await db.deleteFrom('deployments').where('account_id', '=', account).where('name', '=', name).execute();
    },
  };
}

/** Deployments of all accounts whose deletion has begun, oldest first. */
export async function listDeleting(db: Kysely<Database>): Promise<DeploymentRecord[]> {
  const deleting = db.selectFrom('deployments').selectAll().where('status', '=', 'deleting');
  return (await deleting.orderBy('created_at').execute()).map(toRecord);
}

function belongsToAnother(name: string) {
  return createError('forbidden', `The name "${shown(name)}" belongs to another account.`);
}

/** A caller may send any text as a name. */
function shown(name: string): string {
  return name.length > 100 ? `${name.slice(0, 100)}…` : name;
}

function toRecord(row: Selectable<DeploymentsTable>): DeploymentRecord {
  return {
    accountId: row.account_id as AccountId,
    name: row.name,
    status: row.status,
    settings: row.settings === null ? null : parseSettings(row.settings),
    currentRevision: row.current_revision,
    environmentVersion: row.environment_version,
    kind: row.kind,
    lastDeploy: row.last_deploy,
    stoppedAtMs: row.stopped_at,
    generation: row.generation,
    createdAtMs: row.created_at,
    updatedAtMs: row.updated_at,
  };
}

/**
 * Returns the record if it is a deployment.
 * @throws `not_found` for a name that only has an environment.
 */
export function refuseReserved(record: DeploymentRecord): DeploymentRecord {
  if (record.status !== 'reserved') return record;
  throw createError('not_found', `"${record.name}" has an environment and was never deployed.`);
}
