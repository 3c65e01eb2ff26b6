import type { Deployment, DeploySettings } from '@berth/contract';

/** What a redeploy does to the settings of what is there. */
export interface SettingsChanges {
  /** Things it takes away, as sentences: they were declared before and are not now. */
  readonly dropped: readonly string[];
  /** Settings that change, as `memory 2Gi → 1Gi`. */
  readonly changed: readonly string[];
}

/** Compares a deployment with the settings that replace it: a deploy declares all of them anew. */
export function findSettingsChanges(before: Deployment, after: DeploySettings): SettingsChanges {
  const dropped: string[] = [];
  const mountPaths = new Set(after.volumes.map((mount) => mount.mountPath));
  for (const [mountPath, { name }] of Object.entries(before.volumes)) {
    if (!mountPaths.has(mountPath)) {
      dropped.push(`The volume ${name} is no longer mounted at ${mountPath} (its data is kept).`);
    }
  }
  if (before.schedule && !after.schedule) dropped.push(`The schedule ${before.schedule.cron} is removed.`);

  const pairs = [
    ['port', before.port, after.port],
    ['memory', before.memory, after.memory],
    ['timeout', before.timeout, after.timeoutSeconds],
    ['concurrency', before.concurrency, after.concurrency],
    ['max-instances', before.max_instances, after.maxInstances],
    ['session-affinity', before.session_affinity, after.sessionAffinity],
    ['http2', before.use_http2, after.useHttp2],
    ['cpu', before.cpu, after.cpu],
  ] as const;
  const changed = pairs.filter(([, old, now]) => old !== now).map(([name, old, now]) => `${name} ${old} → ${now}`);
  return { dropped, changed };
}
