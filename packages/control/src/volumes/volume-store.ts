import { randomBytes } from 'node:crypto';
import { createError, type DeploySettings, type VolumeMount } from '@berth/contract';
import type { Database, DeletedVolumesTable, VolumesTable } from '@berth/database';
import type { AccountId } from '@berth/kit';
import type { Kysely } from 'kysely';

/** Bytes in hexadecimal after the name; a volume's name has no dot. */
const STORAGE_ID_BYTES = 8;

/** Volumes and their mounts, in the database. When created with a transaction, every call is part of it. */
export function createVolumeStore(db: Kysely<Database>) {
  const of = (account: AccountId) => db.selectFrom('volumes').selectAll().where('account_id', '=', account);
  const find = (account: AccountId, name: string) => of(account).where('name', '=', name).executeTakeFirst();
  const get = async (account: AccountId, name: string) => {
    const record = await find(account, name);
    if (record) return record;
    throw createError('not_found', `No volume "${name.slice(0, 100)}". See \`berth volume ls\`.`);
  };
  const forget = async ({ account_id, storage_id }: DeletedVolumesTable) => {
    await db
      .deleteFrom('deleted_volumes')
      .where('account_id', '=', account_id)
      .where('storage_id', '=', storage_id)
      .execute();
  };
  return {
    find,
    /** @throws `not_found` */
    get,
    /** Creates those of `names` that the account lacks. Returns the new ones in the given order, without duplicates. */
    async ensure(account: AccountId, names: readonly string[], nowMs: number): Promise<string[]> {
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
    /** Finds a volume by its prefix in the object store. */
    findPlace: (account: AccountId, storageId: string): Promise<VolumesTable | undefined> =>
      of(account).where('storage_id', '=', storageId).executeTakeFirst(),
    /** By name. */
    list: (account: AccountId): Promise<VolumesTable[]> => of(account).orderBy('name').execute(),
    /** Replaces a deployment's mounts. The volumes must exist. */
    async attach(account: AccountId, deployment: string, mounts: readonly VolumeMount[]): Promise<void> {
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
    /** Names of the deployments that each of the account's volumes is attached to, sorted. */
    async attachments(account: AccountId): Promise<Map<string, string[]>> {
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
    /** Names of the deployments that mount a volume, by any revision with traffic or a tag, or will by a running deploy; sorted. */
    async heldBy(account: AccountId, name: string): Promise<string[]> {
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
      const beside = await db
        .selectFrom('revisions')
        .select(['revisions.deployment', 'revisions.settings'])
        .where('revisions.account_id', '=', account)
        .where((eb) =>
          eb.or([
            eb('revision', 'in', eb.selectFrom('traffic_shares').select('revision').where('account_id', '=', account)),
            eb('revision', 'in', eb.selectFrom('traffic_tags').select('revision').where('account_id', '=', account)),
          ]),
        )
        .execute();
      const mounting = [...starting, ...beside].filter(({ settings }) =>
        (JSON.parse(settings) as DeploySettings).volumes.some((volume) => volume.name === name),
      );
      return [...new Set([...attached, ...mounting].map(({ deployment }) => deployment))].sort();
    },
    /** Marks a volume as deleted, to be restored or collected. @throws `not_found` */
    async delete(account: AccountId, name: string, nowMs: number): Promise<void> {
      const { counted_at: _countedAt, ...kept } = await get(account, name);
      await db
        .insertInto('deleted_volumes')
        .values({ ...kept, deleted_at: nowMs })
        .execute();
      await db.deleteFrom('volumes').where('account_id', '=', account).where('name', '=', name).execute();
    },
    /** Restores the volume of that name that was deleted last. Returns false when there is none. */
    async restore(account: AccountId, name: string): Promise<boolean> {
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
      await forget(row);
      return true;
    },
    /** The volumes that {@link restore} can restore: of each name the one deleted last, newest first. */
    async listDeleted(account: AccountId, sinceMs: number): Promise<DeletedVolumesTable[]> {
      const rows = await db
        .selectFrom('deleted_volumes')
        .selectAll()
        .where('account_id', '=', account)
        .where('deleted_at', '>=', sinceMs)
        .orderBy('deleted_at', 'desc')
        .execute();
      const newest = new Map(rows.toReversed().map((row) => [row.name, row]));
      return rows.filter((row) => newest.get(row.name) === row);
    },
    /** The volumes of all accounts that were deleted before `timeMs`. */
    listDeletedBefore: (timeMs: number): Promise<DeletedVolumesTable[]> =>
      db.selectFrom('deleted_volumes').selectAll().where('deleted_at', '<', timeMs).execute(),
    /** Deletes the row of a deleted volume whose objects are removed. */
    forget,
  };
}

/**
 * Returns the volumes of all accounts to count: those that services may write to, and those that were not counted
 * since `timeMs`. The volume counted longest ago comes first.
 */
export function listVolumesToCount(db: Kysely<Database>, timeMs: number): Promise<VolumesTable[]> {
  return db
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
}
