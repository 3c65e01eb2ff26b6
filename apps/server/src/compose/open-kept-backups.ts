import { createLeases } from '@berth/control';
import type { createBackups } from '../backup/create-backups.ts';
import { createKeptBackups, type KeptBackups } from '../backup/kept-backups.ts';
import type { PartOptions } from '../context/part-options.ts';
import { openBackupBucket } from '../storage/open-bucket.ts';
import type { State } from './open-state.ts';

/** Opens the bucket for backups of the settings; returns undefined without one. */
export async function openKeptBackups(
  { config, clock, logger, shutdown }: PartOptions,
  { db, cluster, metrics }: Pick<State, 'db' | 'cluster' | 'metrics'>,
  backups: ReturnType<typeof createBackups>,
): Promise<KeptBackups | undefined> {
  const { backupBucket: bucket, backupSchedule: schedule, backupKeep: keep } = config;
  if (bucket === undefined) return undefined;
  const store = await openBackupBucket(config, bucket);
  const leases = createLeases({ db, cluster, clock, logger, leaseMs: config.leaseSeconds * 1_000 });
  const kept = createKeptBackups({
    ...{ store, clock, logger, leases, schedule, keep, bucket },
    createBackup: backups.create,
    ...(metrics && { onNewest: metrics.onBackup }),
  });
  shutdown.push('backups', async () => {
    kept.close();
    await store.close();
  });
  return kept;
}
