import path from 'node:path';
import { DEPLOY_STATUSES, type DeployEvent, type DeploySettings, isTerminal } from '@berth/contract';
import type { AccountId } from '@berth/kit';
import type { FolderArtifact } from '@berth/runtime';
import { waitUntil } from '@berth/testkit';
import { expect } from 'vitest';
import { createDeployEventLog } from '../records/deploy-event-log.ts';
import type { Platform } from './platform.ts';

/** The order of statuses never changes, seqs have no gap, and only the last event ends the deploy. */
export function expectOrdered(events: readonly DeployEvent[]): void {
  expect(events.map((event) => event.seq)).toEqual(events.map((_event, index) => index + 1));
  const ranks = events.map((event) => DEPLOY_STATUSES.indexOf(event.status));
  expect(ranks).toEqual([...ranks].sort());
  expect(events[0]?.status).toBe('BUILDING');
  expect(events.map(isTerminal)).toEqual(events.map((_event, index) => index === events.length - 1));
}

/** Resolves when no deploy and no deletion is on its way and nothing is left to be cleaned up. */
export async function quiet({ run: { db }, builder }: Platform): Promise<void> {
  await waitUntil('every deploy has ended', async () => {
    const deploys = await db.selectFrom('deploys').select('id').where('ended_at', 'is', null).execute();
    const deleting = await db.selectFrom('deployments').select('name').where('status', '=', 'deleting').execute();
    if (deploys.length > 0 || deleting.length > 0 || (await builder.archives()).length > 0) return false;
    return sameArtifacts(builder.built, await recordedArtifacts(db));
  });
}

/** What must hold whenever the platform is quiet, whatever happened before. */
export async function expectSound(platform: Platform): Promise<void> {
  await quiet(platform);
  const { db, gateway } = platform.run;
  const deploys = await db.selectFrom('deploys').selectAll().execute();
  for (const deploy of deploys) {
    const log = createDeployEventLog(db);
    expectOrdered(await log.read(deploy.account_id as AccountId, deploy.id as never, 0, 10_000));
    expect(['done', 'failed', 'cancelled']).toContain(deploy.step);
    expect({ code: deploy.code === null, lease: deploy.lease_owner, archive: deploy.archive }).toEqual({
      code: deploy.step === 'done',
      lease: null,
      archive: null,
    });
  }
  const deployments = await db.selectFrom('deployments').selectAll().execute();
  const served = [...gateway.routes.values()].map((target) => target.revision).sort();
  expect(served).toEqual(deployments.flatMap((one) => one.current_revision ?? []).sort());
  for (const { name, status, current_revision, settings } of deployments) {
    expect([name, status]).toEqual([name, statusFor(current_revision, settings)]);
    const revisions = await db.selectFrom('revisions').selectAll().where('deployment', '=', name).execute();
    expect(revisions.map((one) => one.status)).not.toContain('building');
    for (const one of revisions)
      expect([one.revision, one.artifact !== null]).toEqual([one.revision, one.status === 'ready']);
    const current = revisions.find((one) => one.revision === current_revision);
    if (current_revision !== null) {
      expect(current).toMatchObject({ status: 'ready', served_until: null });
      expect(JSON.parse(current?.settings ?? '')).toEqual(JSON.parse(settings ?? ''));
    }
    const { schedule } = current ? (JSON.parse(current.settings) as DeploySettings) : { schedule: null };
    const due = await db.selectFrom('schedules').selectAll().where('deployment', '=', name).execute();
    expect(due.map(({ cron, timezone }) => ({ cron, timezone }))).toEqual(schedule ? [schedule] : []);
    const mounts = await db.selectFrom('volume_attachments').selectAll().where('deployment', '=', name).execute();
    const declared = current ? (JSON.parse(current.settings) as DeploySettings).volumes : [];
    expect(mounts.map((one) => [one.mount_path, one.volume]).sort()).toEqual(
      declared.map((one) => [one.mountPath, one.name]).sort(),
    );
  }
}

function statusFor(revision: string | null, settings: string | null): string {
  if (revision !== null) return 'ready';
  return settings === null ? 'reserved' : 'failed';
}

async function recordedArtifacts(db: Platform['run']['db']): Promise<Set<string>> {
  const rows = await db.selectFrom('revisions').select('artifact').where('artifact', 'is not', null).execute();
  return new Set(rows.map((row) => path.basename((JSON.parse(row.artifact ?? '') as FolderArtifact).path)));
}

function sameArtifacts(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return one.size === other.size && [...one].every((name) => other.has(name));
}
