import type { Readable } from 'node:stream';
import { createError } from '@berth/contract';
import { createFireTimes, type Leases } from '@berth/control';
import { backoffMs, type Clock, describeError, type Logger, runInBackground, type Timer } from '@berth/kit';
import type { ObjectStore, StoredObject } from '@berth/object-store';
import type { Capability } from '@berth/runtime';

/** A backup in the bucket. */
export interface KeptBackup {
  readonly name: string;
  readonly sizeBytes: number;
  readonly createdAtMs: number;
}

/** Options of {@link createKeptBackups}. */
export interface KeptBackupsOptions {
  readonly store: Pick<ObjectStore, 'put' | 'list' | 'open' | 'delete'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly leases: Leases;
  /** Cron expression, in UTC. */
  readonly schedule: string;
  /** Number of backups that are kept, at least 1. */
  readonly keep: number;
  /** Describes the bucket to the operator. */
  readonly bucket: string;
  /** @throws BerthError `conflict` while another backup is running */
  createBackup(): Promise<Readable>;
  /** Called with the time of the newest backup whenever it is known. */
  onNewest?(createdAtMs: number): void;
}

/** Backups of the platform in a bucket: made on a schedule, by one of several servers, the oldest removed. */
export interface KeptBackups {
  /** Newest first. @throws BerthError `unavailable` when the bucket can't be read */
  list(): Promise<readonly KeptBackup[]>;
  /** Makes one now. @throws BerthError `conflict` while another backup is running; `unavailable` */
  create(): Promise<KeptBackup>;
  /** @throws BerthError `not_found`, `unavailable` */
  read(name: string): Promise<Readable>;
  start(): void;
  capability(): Promise<Capability>;
  close(): void;
}

/** Where the bucket holds them. */
const PLACE = { account: 'berth', storageId: 'backups' };
const NAME = /^berth-(\d{4}-\d{2}-\d{2}T\d{2})-(\d{2})-(\d{2}Z)\.tar\.zst$/;
const PAGE = 1_000;
/** The longest time that a timer waits: a clock may be set meanwhile. */
const LOOK_MS = 3_600_000;
const RETRY = { baseMs: 60_000, maxMs: 3_600_000 };

export function createKeptBackups(options: KeptBackupsOptions): KeptBackups {
  const { store, clock, logger, leases, keep, bucket } = options;
  const times = createFireTimes({ cron: options.schedule, timezone: 'UTC' });
  const closing = new AbortController();
  let timer: Timer | undefined;
  let failures = 0;
  let failure: string | undefined;

  async function list(): Promise<readonly KeptBackup[]> {
    const objects: StoredObject[] = [];
    for (let after: string | undefined; ; after = objects.at(-1)?.path) {
      const page = await store.list(PLACE, { prefix: 'berth-', after, limit: PAGE });
      objects.push(...page.objects);
      if (!page.isTruncated) break;
    }
    return objects
      .flatMap(({ path: name, sizeBytes }) => {
        const [, hour, minute, second] = NAME.exec(name) ?? [];
        return hour === undefined ? [] : [{ name, sizeBytes, createdAtMs: Date.parse(`${hour}:${minute}:${second}`) }];
      })
      .reverse();
  }

  async function write(): Promise<KeptBackup> {
    const createdAtMs = Math.floor(clock.nowMs() / 1_000) * 1_000;
    const name = `berth-${new Date(createdAtMs).toISOString().slice(0, 19).replaceAll(':', '-')}Z.tar.zst`;
    // An interrupted upload leaves no object.
    const { object } = await store.put(PLACE, name, await options.createBackup(), { signal: closing.signal });
    const made = { name, sizeBytes: object.sizeBytes, createdAtMs };
    logger.info({ backup: name, bytes: object.sizeBytes }, 'backup stored');
    failures = 0;
    failure = undefined;
    options.onNewest?.(createdAtMs);
    await removeOld();
    return made;
  }

  /** The credentials may have no right to delete, so that an attacker on the server can't. */
  async function removeOld(): Promise<void> {
    try {
      for (const { name } of (await list()).slice(keep)) {
        await store.delete(PLACE, name);
        logger.info({ backup: name }, 'old backup removed');
      }
    } catch (error) {
      logger.warn({ error: describeError(error), bucket }, 'old backups could not be removed');
    }
  }

  /** Makes a backup when the schedule has one after the newest. */
  async function makeDue(): Promise<void> {
    try {
      await leases.run('backups', async () => {
        const [newest] = await list();
        const nowMs = clock.nowMs();
        if (newest) options.onNewest?.(newest.createdAtMs);
        if (newest && times.latest(nowMs, newest.createdAtMs) <= newest.createdAtMs) return;
        await write();
      });
    } catch (error) {
      if (closing.signal.aborted) return;
      failure = error instanceof Error ? error.message : String(error);
      logger.error({ error: describeError(error), bucket }, 'a backup failed and is tried again');
      failures++;
    }
  }

  function plan(): void {
    if (closing.signal.aborted) return;
    const nowMs = clock.nowMs();
    const dueMs = (times.after(nowMs) ?? nowMs + LOOK_MS) - nowMs;
    const waitMs = failures > 0 ? backoffMs(failures - 1, RETRY) : Math.min(dueMs, LOOK_MS);
    timer = clock.setTimer(waitMs, () => runInBackground('backups', makeDue().finally(plan), logger));
  }

  return {
    list,
    async create() {
      const made = await leases.run('backups', write);
      if (!made) throw createError('conflict', 'Another server is making a backup. Wait for it to finish.');
      return made.value;
    },
    async read(name) {
      const found = NAME.test(name) ? await store.open(PLACE, name) : undefined;
      if (!found)
        throw createError('not_found', `No backup is named "${name}". \`berth admin backups ls\` lists them.`);
      const stream = found.read();
      stream.once('close', () =>
        runInBackground('close a backup', Promise.resolve(found[Symbol.asyncDispose]()), logger),
      );
      return stream;
    },
    start: () => runInBackground('backups', makeDue().finally(plan), logger),
    async capability() {
      const base = { id: 'backups', title: 'Backups' } as const;
      const kept = await list().catch((error: Error) => error);
      const problem = kept instanceof Error ? kept.message : failure;
      const newest = kept instanceof Error ? undefined : kept[0];
      const age = newest && `The newest is of ${new Date(newest.createdAtMs).toISOString()}.`;
      if (problem !== undefined) {
        const detail = `The last backup into the bucket ${bucket} failed: ${problem}${age ? ` ${age}` : ''}`;
        return { ...base, status: 'partial', detail, remedy: 'Check BERTH_BACKUP_BUCKET and its credentials.' };
      }
      const count = kept instanceof Error ? 0 : kept.length;
      return {
        ...base,
        status: 'enforced',
        detail: `${count} in the bucket ${bucket}. ${age ?? 'The first is being made.'}`,
      };
    },
    close() {
      closing.abort(createError('unavailable', 'The platform is shutting down.'));
      timer?.cancel();
    },
  };
}
