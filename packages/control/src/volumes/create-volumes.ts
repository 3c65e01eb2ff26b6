import { finished, type Readable } from 'node:stream';
import type { AccountSource } from '@berth/accounts';
import {
  createError,
  createValidationError,
  type DeletedVolume,
  type ObjectsPage,
  parseObjectPath,
  toStoredPath,
  type Volume,
} from '@berth/contract';
import { type AccountId, BerthError, runInBackground } from '@berth/kit';
import type { FolderList, ObjectList, ObjectStore, PutResult, StoredObject, VolumePlace } from '@berth/object-store';
import type { VolumeFolder } from '@berth/runtime';
import type { Entitlements } from '../billing/plans/entitlements.ts';
import { type Cluster, createSoleCluster } from '../cluster/cluster.ts';
import { createLeases } from '../cluster/leases.ts';
import type { ControlContext } from '../context/control-context.ts';
import { isTaken, moveObjects } from './move-objects.ts';
import { createVolumeCollector, KEPT_MS } from './volume-collector.ts';
import { createVolumeCounts, placeOf } from './volume-counts.ts';
import { createVolumeStore } from './volume-store.ts';

export interface ObjectsQuery {
  readonly volume: string;
  readonly prefix: string;
  readonly pageToken: string | undefined;
  readonly limit: number;
  /** Whether objects in folders under the prefix are grouped by folder. */
  readonly isFolder: boolean;
}

/** Both paths name objects, or both folders with their `/`; `to` is not inside `from`. */
export interface MoveRequest {
  readonly volume: string;
  readonly from: string;
  readonly to: string;
  readonly overwrite: boolean;
}

export interface CreateVolumesOptions extends Pick<ControlContext, 'db' | 'clock' | 'logger' | 'audit'> {
  readonly store: ObjectStore;
  /** Limits of the accounts' plans. */
  readonly entitlements: Pick<Entitlements, 'requireVolumes' | 'requireStorage'>;
  /** The servers that share the database; only this one by default. */
  readonly cluster?: Cluster;
}

/** A volume that another server deletes takes transfers for so long. They can be restored with it. */
const KNOWN_MS = 1_000;
const MAX_KNOWN = 1_000;

/** Volumes and their objects, as the API and the storage listener see them. */
export type Volumes = ReturnType<typeof createVolumes>;

export function createVolumes(options: CreateVolumesOptions) {
  const { db, store, clock, logger, audit, entitlements, cluster = createSoleCluster(clock) } = options;
  const leases = createLeases({ db, cluster, clock, logger });
  const counts = createVolumeCounts({ db, store, clock, logger, leases });
  const collector = createVolumeCollector({ db, store, clock, logger, leases });
  const volumes = createVolumeStore(db);
  const placeOfName = async (account: AccountId, name: string) => placeOf(await volumes.get(account, name));
  const mountProblem = store.folders
    ? undefined
    : `volumes are kept in ${store.name} on this server and can't be mounted. Access objects with signed URLs, and deploy with volumes={}`;

  /** Volumes that were found in the database a moment ago: a client that uploads many files asks for one again and again. */
  const knownUntilMs = new Map<string, number>();

  const getObject = async (account: AccountId, name: string, path: string) => {
    const place = await placeOfName(account, name);
    // A service may have written a name in another Unicode form than uploads use.
    const object = (await store.find(place, path)) ?? (await store.find(place, toStoredPath(path)));
    if (object) return { place, object };
    throw createError('not_found', `The volume "${name}" has no object "${path}".`);
  };

  return {
    /** Finds an object by a path in either Unicode form. @throws `not_found` */
    getObject,
    /** Why volumes can't be mounted here; undefined when they can. */
    mountProblem,
    /** Returns the prefix of a volume's objects. @throws `not_found` */
    placeOf: placeOfName,
    /** Returns the prefix for an upload. @throws `not_found`; `too_many_requests` when the plan's storage is used up. */
    async placeForUpload(account: AccountId, name: string): Promise<VolumePlace> {
      const place = await placeOfName(account, name);
      await entitlements.requireStorage(db, account);
      return place;
    },
    /**
     * Records that an upload may begin. The bytes pass the API by, and on an S3 store the platform: only here is the person or
     * key behind them known.
     */
    async recordUpload(name: string, path: string, source: AccountSource): Promise<void> {
      const details = { path: toStoredPath(path) };
      await audit.record({ ...source, action: 'volume.upload', target: name, details });
    },
    /** Counts objects that changed through the storage listener. */
    noteChange: counts.add,
    /** Returns true when the volume is new, false when it existed. @throws `too_many_requests` at the limit of the plan. */
    create: (account: AccountId, name: string, source: AccountSource): Promise<boolean> =>
      db.transaction().execute(async (transaction) => {
        const store = createVolumeStore(transaction);
        if (await store.find(account, name)) return false;
        await entitlements.requireVolumes(transaction, account, 1);
        await store.ensure(account, [name], clock.nowMs());
        await audit.record({ ...source, action: 'volume.create', target: name }, transaction);
        return true;
      }),
    /** Volumes by name, with their sizes as far as a short recount goes. */
    async list(account: AccountId): Promise<Volume[]> {
      await counts.refresh(await volumes.list(account));
      const attachments = await volumes.attachments(account);
      return (await volumes.list(account)).map(({ name, created_at, size_bytes, object_count }) => ({
        name,
        attached_to: attachments.get(name) ?? [],
        created_at: new Date(created_at).toISOString(),
        size_bytes,
        object_count,
      }));
    },
    /** Deletes a volume; it can be restored for 7 days. @throws `not_found`; `conflict` naming the deployments that mount it. */
    async delete(account: AccountId, name: string, source: AccountSource): Promise<void> {
      await db.transaction().execute(async (transaction) => {
        const store = createVolumeStore(transaction);
        await store.get(account, name);
        const holders = await store.heldBy(account, name);
        if (holders.length > 0) {
          const who = holders.map((one) => `"${one}"`).join(', ');
          throw createError(
            'conflict',
            `The volume "${name}" is attached to ${who}. Deploy without the volume or delete the deployment first.`,
            { details: { deployments: holders } },
          );
        }
        await store.delete(account, name, clock.nowMs());
        await audit.record({ ...source, action: 'volume.delete', target: name }, transaction);
      });
      knownUntilMs.clear();
    },
    /** @throws `not_found`; `conflict` when the name is taken. */
    restore: (account: AccountId, name: string, source: AccountSource): Promise<void> =>
      db.transaction().execute(async (transaction) => {
        const store = createVolumeStore(transaction);
        if (await store.find(account, name)) {
          throw createError('conflict', `A volume "${name}" exists. Delete it before restoring the deleted one.`);
        }
        await entitlements.requireVolumes(transaction, account, 1);
        if (!(await store.restore(account, name))) {
          throw createError('not_found', `No volume "${name}" was deleted within the last 7 days.`);
        }
        await audit.record({ ...source, action: 'volume.restore', target: name }, transaction);
      }),
    /** The volumes that {@link Volumes.restore} can restore, the last deleted first. */
    listDeleted: async (account: AccountId): Promise<DeletedVolume[]> =>
      (await volumes.listDeleted(account, clock.nowMs() - KEPT_MS)).map((volume) => ({
        name: volume.name,
        created_at: new Date(volume.created_at).toISOString(),
        deleted_at: new Date(volume.deleted_at).toISOString(),
        restorable_until: new Date(volume.deleted_at + KEPT_MS).toISOString(),
        size_bytes: volume.size_bytes,
        object_count: volume.object_count,
      })),
    /** @throws `not_found`; `invalid` for a bad page token. */
    async listObjects(
      account: AccountId,
      { volume, prefix, pageToken, limit, isFolder }: ObjectsQuery,
    ): Promise<ObjectsPage> {
      const after = pageToken === undefined ? undefined : parsePageToken(pageToken);
      const place = await placeOfName(account, volume);
      const options = { prefix, after, limit };
      const page: ObjectList & Partial<FolderList> = await (isFolder
        ? store.listFolder(place, options)
        : store.list(place, options));
      const objects = page.objects.map(toRow);
      const folders = isFolder ? [...(page.folders ?? [])] : [];
      const last = lastOf(objects.at(-1)?.path, folders.at(-1));
      const next_page_token = page.isTruncated && last !== undefined ? toPageToken(last) : null;
      return { objects, ...(isFolder && { folders }), next_page_token };
    },
    /** @throws `not_found` */
    async deleteObject(account: AccountId, name: string, path: string, source: AccountSource): Promise<void> {
      const { place, object } = await getObject(account, name, path);
      const deleted = await store.delete(place, object.path);
      if (!deleted) throw createError('not_found', `The volume "${name}" has no object "${path}".`);
      counts.add(place, { sizeBytes: -deleted.sizeBytes, objectCount: -1 });
      const details = { path: object.path };
      await audit.record({ ...source, action: 'volume.delete_object', target: name, details });
    },
    /**
     * Moves an object, or a folder named with its `/`. Returns false while a large folder is unfinished: the same call continues.
     * @throws `not_found`; `conflict` when the target exists and may not be replaced
     */
    async move(
      account: AccountId,
      { volume, from, to: target, overwrite: isOverwriting }: MoveRequest,
      source: AccountSource,
    ): Promise<boolean> {
      const to = toStoredPath(target);
      const isFolder = from.endsWith('/');
      const place = await placeOfName(account, volume);
      const onMoved = ({ replacedBytes }: PutResult) => {
        if (replacedBytes !== undefined) counts.add(place, { sizeBytes: -replacedBytes, objectCount: -1 });
      };
      let isDone = true;
      if (isFolder) isDone = await moveObjects({ store, clock, place, from, to, isOverwriting, onMoved });
      else {
        const { object } = await getObject(account, volume, from);
        onMoved(await store.move(place, object.path, to, { isAbsent: !isOverwriting }).catch(explainTaken(to)));
      }
      const details = { from, to };
      await audit.record({ ...source, action: 'volume.move_object', target: volume, details });
      return isDone;
    },
    /** Opens an object for `source_object` of a deploy. */
    async openObject(account: AccountId, name: string, path: string): Promise<Readable> {
      const { place, object } = await getObject(account, name, path);
      const open = await store.open(place, object.path);
      if (!open) throw createError('not_found', `The volume "${name}" has no object "${path}".`);
      const body = open.read();
      finished(body, () => runInBackground('close an object', Promise.resolve(open[Symbol.asyncDispose]()), logger));
      return body;
    },
    /**
     * Returns a folder of a volume for its mount, created if missing.
     * @throws `start_failed` when there is no such volume, it can't be mounted, or the path is not a folder.
     */
    async folder(account: AccountId, name: string, subPath: string): Promise<VolumeFolder> {
      if (!store.folders) throw createError('start_failed', `A volume of this service: ${mountProblem}.`);
      const volume = await volumes.find(account, name);
      if (!volume) throw createError('start_failed', `No volume "${name}" exists. Deploy again to create it.`);
      const place = placeOf(volume);
      await store.folders.ensure(place, subPath);
      return { volume: store.folders.pathOf(place), subPath };
    },
    /** Removes deleted volumes whose restore period is over, without waiting for the hourly round. */
    collect: collector.collect,
    /** Returns whether a prefix of the object store belongs to an existing volume. */
    async has({ account, storageId }: VolumePlace): Promise<boolean> {
      const id = `${account}/${storageId}`;
      const nowMs = clock.monotonicMs();
      if (nowMs < (knownUntilMs.get(id) ?? 0)) return true;
      if (knownUntilMs.size >= MAX_KNOWN) knownUntilMs.clear();
      if (!(await volumes.findPlace(account as AccountId, storageId))) return false;
      knownUntilMs.set(id, nowMs + KNOWN_MS);
      return true;
    },
    /** Starts counting and collecting in the background. */
    start(): void {
      counts.start();
      collector.start();
    },
    /** Idempotent. */
    async close(): Promise<void> {
      collector.close();
      await counts.close();
    },
  };
}

function toRow({ path, sizeBytes, updatedAtMs }: StoredObject): ObjectsPage['objects'][number] {
  return { path, size: sizeBytes, updated: new Date(updatedAtMs).toISOString() };
}

function explainTaken(path: string) {
  return (error: unknown): never => {
    throw BerthError.is(error, 'precondition_failed') ? isTaken([path]) : error;
  };
}

/** A page token holds the last path of the previous page, so it stays valid when objects are added or removed. */
export function toPageToken(path: string): string {
  return Buffer.from(path).toString('base64url');
}

/** Returns the later of two paths, by their UTF-8 bytes. */
function lastOf(one: string | undefined, other: string | undefined): string | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return Buffer.compare(Buffer.from(one), Buffer.from(other)) > 0 ? one : other;
}

/** @throws `invalid` at `query.page_token` */
export function parsePageToken(token: string): string {
  const path = Buffer.from(token, 'base64url').toString();
  // A page may end with a folder.
  const result = parseObjectPath(path.replace(/\/$/, ''));
  if ('path' in result && toPageToken(path) === token) return path;
  throw createValidationError([
    {
      loc: ['query', 'page_token'],
      msg: 'is not the next_page_token of a page',
      type: 'page_token_invalid',
    },
  ]);
}
