import { randomBytes } from 'node:crypto';
import { createError, type DeploySettings, type VolumeMount } from '@berth/contract';
import type { Database, DeletedVolumesTable, VolumesTable } from '@berth/database';
import type { AccountId } from '@berth/kit';
import type { Kysely, Selectable } from 'kysely';

export interface VolumeRecord {
  readonly accountId: AccountId;
  readonly name: string;
  /** The prefix of its objects in the object store. */
  readonly storageId: string;
  readonly createdAtMs: number;
  /** The size as last counted. */
  readonly sizeBytes: number;
  readonly objectCount: number;
  /** When all of it was last counted, epoch milliseconds; 0: never. */
  readonly countedAtMs: number;
}

export interface DeletedVolume {
  readonly accountId: AccountId;
  readonly name: string;
  readonly storageId: string;
  /** As last counted. */
  readonly sizeBytes: number;
}

export interface DeletedVolumeRecord extends Omit<VolumeRecord, 'countedAtMs'> {
  readonly deletedAtMs: number;
}

/** Volumes and their mounts, in the database. When created with a transaction, every call is part of it. */
export interface VolumeStore {
  /** Creates those of `names` that the account lacks. Returns the new ones in the given order, without duplicates. */
  ensure(account: AccountId, names: readonly string[], nowMs: number): Promise<string[]>;
  find(account: AccountId, name: string): Promise<VolumeRecord | undefined>;
  /** @throws `not_found` */
  get(account: AccountId, name: string): Promise<VolumeRecord>;
  /** Finds a volume by its prefix in the object store. */
  findPlace(account: AccountId, storageId: string): Promise<VolumeRecord | undefined>;
  /** By name. */
  list(account: AccountId): Promise<VolumeRecord[]>;
  /** Replaces a deployment's mounts. The volumes must exist. */
  attach(account: AccountId, deployment: string, mounts: readonly VolumeMount[]): Promise<void>;
  /** Names of the deployments that each of the account's volumes is attached to, sorted. */
  attachments(account: AccountId): Promise<Map<string, string[]>>;
  /** Names of the deployments that mount a volume, or will by a running deploy; sorted. */
  heldBy(account: AccountId, name: string): Promise<string[]>;
  /** Marks a volume as deleted, to be restored or collected. @throws `not_found` */
  delete(account: AccountId, name: string, nowMs: number): Promise<void>;
  /** Restores the volume of that name that was deleted last. Returns false when there is none. */
  restore(account: AccountId, name: string): Promise<boolean>;
  /** The volumes that {@link restore} can restore: of each name the one deleted last, newest first. */
  listDeleted(account: AccountId, sinceMs: number): Promise<DeletedVolumeRecord[]>;
  /** The volumes of all accounts that were deleted before `timeMs`. */
  listDeletedBefore(timeMs: number): Promise<DeletedVolume[]>;
  /** Deletes the row of a deleted volume whose objects are removed. */
  forget(volume: DeletedVolume): Promise<void>;
}

/** Bytes in hexadecimal after the name; a volume's name has no dot. */
const STORAGE_ID_BYTES = 8;

export function createVolumeStore(db: Kysely<Database>): VolumeStore {
  const of = (account: AccountId) => db.selectFrom('volumes').selectAll().where('account_id', '=', account);
  const find = async (account: AccountId, name: string) => {
    const row = await of(account).where('name', '=', name).executeTakeFirst();
    return row && toRecord(row);
  };
  const get = async (account: AccountId, name: string) => {
    const record = await find(account, name);
    if (record) return record;
    throw createError('not_found', `There is no volume "${name.slice(0, 100)}". See \`berth volume ls\`.`);
  };
  const deletedOf = (volume: Pick<DeletedVolume, 'accountId' | 'storageId'>) =>
    db
      .deleteFrom('deleted_volumes')
      .where('account_id', '=', volume.accountId)
      .where('storage_id', '=', volume.storageId);
  return {
    find,
    get,
    async ensure(account, names, nowMs) {
      const created: string[] = [];
      for (const name of new Set(names)) {
        const storageId = `${name}.${randomBytes(STORAGE_ID_BYTES).toString('hex')}`;
        const result = await db
          .insertInto('volumes')
          .values({
            account_id: account,
            name,
            storage_id: storageId,
            created_at: nowMs,
            size_bytes: 0,
            object_count: 0,
            counted_at: 0,
          })
          .onConflict((conflict) => conflict.columns(['account_id', 'name']).doNothing())
          .executeTakeFirst();
        if (result.numInsertedOrUpdatedRows === 1n) created.push(name);
      }
      return created;
    },
    async findPlace(account, storageId) {
      const row = await of(account).where('storage_id', '=', storageId).executeTakeFirst();
      return row && toRecord(row);
    },
    async list(account) {
      return (await of(account).orderBy('name').execute()).map(toRecord);
    },
    async attach(account, deployment, mounts) {
      await db
        .deleteFrom('volume_attachments')
        .where('account_id', '=', account)
        .where('deployment', '=', deployment)
        .execute();
      if (mounts.length === 0) return;
      await db
        .insertInto('volume_attachments')
        .values(
          mounts.map(({ mountPath, name }) => ({
            account_id: account,
            deployment,
            mount_path: mountPath,
            volume: name,
          })),
        )
        .execute();
    },
    async attachments(account) {
      const rows = await db
        .selectFrom('volume_attachments')
        .select(['volume', 'deployment'])
        .distinct()
        .where('account_id', '=', account)
        .orderBy('deployment')
        .execute();
      const found = new Map<string, string[]>();
      for (const { volume, deployment } of rows) found.set(volume, [...(found.get(volume) ?? []), deployment]);
      return found;
    },
    async heldBy(account, name) {
      const attached = await db
        .selectFrom('volume_attachments')
        .select('deployment')
        .where('account_id', '=', account)
        .where('volume', '=', name)
        .execute();
      const starting = await db
        .selectFrom('deploys')
        .innerJoin('revisions', (join) =>
          join
            .onRef('revisions.deployment', '=', 'deploys.deployment')
            .onRef('revisions.revision', '=', 'deploys.revision'),
        )
        .select(['deploys.deployment', 'revisions.settings'])
        .where('deploys.account_id', '=', account)
        .where('deploys.step', '=', 'deploying')
        .where('deploys.ended_at', 'is', null)
        .execute();
      const mounting = starting.filter(({ settings }) =>
        (JSON.parse(settings) as DeploySettings).volumes.some((volume) => volume.name === name),
      );
      return [...new Set([...attached, ...mounting].map(({ deployment }) => deployment))].sort();
    },
    async delete(account, name, nowMs) {
      const { storageId, sizeBytes, objectCount, createdAtMs } = await get(account, name);
      await db
        .insertInto('deleted_volumes')
        .values({
          account_id: account,
          name,
          storage_id: storageId,
          size_bytes: sizeBytes,
          object_count: objectCount,
          created_at: createdAtMs,
          deleted_at: nowMs,
        })
        .execute();
      await db.deleteFrom('volumes').where('account_id', '=', account).where('name', '=', name).execute();
    },
    async restore(account, name) {
      const row = await db
        .selectFrom('deleted_volumes')
        .selectAll()
        .where('account_id', '=', account)
        .where('name', '=', name)
        .orderBy('deleted_at', 'desc')
        .limit(1)
        .executeTakeFirst();
      if (!row) return false;
      const { deleted_at: _deletedAt, ...kept } = row;
      await db
        .insertInto('volumes')
        .values({ ...kept, counted_at: 0 })
        .execute();
      await deletedOf(toDeleted(row)).execute();
      return true;
    },
    async listDeleted(account, sinceMs) {
      const rows = await db
        .selectFrom('deleted_volumes')
        .selectAll()
        .where('account_id', '=', account)
        .where('deleted_at', '>=', sinceMs)
        .orderBy('deleted_at', 'desc')
        .execute();
      const newest = new Map(rows.toReversed().map((row) => [row.name, row]));
      return rows
        .filter((row) => newest.get(row.name) === row)
        .map((row) => ({ ...toRecord({ ...row, counted_at: 0 }), deletedAtMs: row.deleted_at }));
    },
    async listDeletedBefore(timeMs) {
      const rows = await db.selectFrom('deleted_volumes').selectAll().where('deleted_at', '<', timeMs).execute();
      return rows.map(toDeleted);
    },
    async forget(volume) {
      await deletedOf(volume).execute();
    },
  };
}

/**
 * Returns the volumes of all accounts to count: those that services may write to, and those that were not counted
 * since `timeMs`. The volume counted longest ago comes first.
 */
export async function listVolumesToCount(db: Kysely<Database>, timeMs: number): Promise<VolumeRecord[]> {
  const rows = await db
    .selectFrom('volumes')
    .selectAll()
    .where((eb) =>
      eb.or([
        eb('counted_at', '<', timeMs),
        eb.exists(
          eb
            .selectFrom('volume_attachments')
            .select('volume_attachments.volume')
            .whereRef('volume_attachments.account_id', '=', 'volumes.account_id')
            .whereRef('volume_attachments.volume', '=', 'volumes.name'),
        ),
      ]),
    )
    .orderBy('counted_at')
    .execute();
  return rows.map(toRecord);
}

function toRecord(row: Selectable<VolumesTable>): VolumeRecord {
  return {
    accountId: row.account_id as AccountId,
    name: row.name,
    storageId: row.storage_id,
    createdAtMs: row.created_at,
    sizeBytes: row.size_bytes,
    objectCount: row.object_count,
    countedAtMs: row.counted_at,
  };
}

function toDeleted(row: Selectable<DeletedVolumesTable>): DeletedVolume {
  const { name, storage_id: storageId, size_bytes: sizeBytes } = row;
  return { accountId: row.account_id as AccountId, name, storageId, sizeBytes };
}
