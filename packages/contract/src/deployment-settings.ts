import type { SettingField } from './berth-json.ts';
import type { DeploySettings } from './deploy-form.ts';
import type { Deployment } from './deployment.ts';
import { volumeMountsToJson } from './volume-mounts.ts';

/** The settings of a deployment as its row shows them. */
export type DeploymentSettings = Pick<Deployment, SettingField>;

/** Validated settings as the row of a deployment shows them. */
export function toDeploymentSettings(settings: DeploySettings): DeploymentSettings {
  const { schedule } = settings;
  return {
    port: settings.port,
    memory: settings.memory,
    cpu: settings.cpu,
    timeout: settings.timeoutSeconds,
    concurrency: settings.concurrency,
    max_instances: settings.maxInstances,
    min_instances: settings.minInstances,
    session_affinity: settings.sessionAffinity,
    use_http2: settings.useHttp2,
    volumes: volumeMountsToJson(settings.volumes),
    schedule: schedule && { cron: schedule.cron, timezone: schedule.timezone },
    health: settings.health ?? null,
  };
}
