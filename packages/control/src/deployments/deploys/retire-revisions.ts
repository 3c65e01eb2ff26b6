import type { AccountId } from '@berth/kit';
import type { Artifact } from '@berth/runtime';
import { createEnvironmentStore } from '../environment/environment-store.ts';
import { createRevisionStore, type RevisionRecord } from '../revisions/revision-store.ts';
import { createDeploymentStore } from '../store/deployment-store.ts';
import { createTrafficStore } from '../traffic/traffic-store.ts';
import type { DeployContext } from './records/deploy-context.ts';
import { createDeployStore } from './records/deploy-store.ts';

/** Revisions listed per deployment; older ones without an artifact are deleted. */
const SHOWN_REVISIONS = 100;

/** The longest drain of a replaced revision (600 s in the gateway) and a minute, because its requests may still read its files. */
const DRAIN_MS = 660_000;

/** The part of a {@link DeployContext} that the removal of old revisions needs. */
export type RetireContext = Pick<DeployContext, 'db' | 'sealer' | 'builder' | 'clock' | 'keptRevisions'>;

/**
 * Removes the artifacts of a deployment's revisions except the serving one, those with a tag or a share of the traffic, the newest
 * `keptRevisions` and those that a rollback under way goes to, and the values of variables that only the removed ones had.
 */
export async function retireRevisions(context: RetireContext, account: AccountId, name: string): Promise<void> {
  for (const artifact of await markRetired(context, account, name)) await context.builder.remove(artifact);
}

/** The database part of {@link retireRevisions}. Returns the artifacts that no kept revision has. */
export async function markRetired(
  { db, sealer, clock, keptRevisions }: Omit<RetireContext, 'builder'>,
  account: AccountId,
  name: string,
  { isDryRun = false } = {},
): Promise<Artifact[]> {
  return db.transaction().execute(async (transaction) => {
    const deployment = await createDeploymentStore(transaction).find(account, name);
    if (!deployment) return [];
    const revisions = createRevisionStore(transaction);
    const all = await revisions.list(account, name);
    const built = all.filter((revision) => revision.artifact !== null);
    const targets = await createDeployStore(transaction).listTargets(account, name);
    const { shares, tags } = await createTrafficStore(transaction).find(account, name);
    const isUsed = new Set([deployment.currentRevision, ...targets, ...shares.keys(), ...tags.values()]);
    const oldEnd = clock.nowMs() - DRAIN_MS;
    const kept = built.filter(
      (revision, index) =>
        index < keptRevisions || isUsed.has(revision.revision) || (revision.servedUntilMs ?? 0) > oldEnd,
    );
    const retired = built.filter((revision) => !kept.includes(revision));
    if (isDryRun) return unshared(retired, kept);
    for (const { revision } of retired) {
      await revisions.update(account, name, revision, { status: 'retired', artifact: null });
    }
    for (const old of all.slice(SHOWN_REVISIONS)) {
      if (old.artifact === null && old.status !== 'building') await revisions.delete(account, name, old.revision);
    }
    const oldestVersion = Math.min(deployment.environmentVersion, ...kept.map((one) => one.environmentVersion));
    await createEnvironmentStore(transaction, sealer).prune({ account, deployment: name }, oldestVersion);
    return unshared(retired, kept);
  });
}

/** Returns the artifacts of `retired` that none of `kept` has, without duplicates: a change of environment shares the artifact. */
function unshared(retired: readonly RevisionRecord[], kept: readonly RevisionRecord[]): Artifact[] {
  const keptTexts = new Set(kept.map((revision) => JSON.stringify(revision.artifact)));
  const texts = new Set(retired.map((revision) => JSON.stringify(revision.artifact)));
  return [...texts].filter((text) => !keptTexts.has(text)).map((text) => JSON.parse(text) as Artifact);
}
