import type { DeploySettings } from './deploy-form.ts';
import type { Deployment } from './deployment.ts';
import { type SettingField, toValueFields } from './settings.ts';
import { volumeMountsToJson } from './volume-mounts.ts';

/** The settings in a deployment's row. */
export type DeploymentSettings = Pick<Deployment, SettingField>;

/** Returns validated settings in the form of a deployment's row. */
export function toDeploymentSettings(settings: DeploySettings): DeploymentSettings {
  const { schedule } = settings;
  return {
    ...toValueFields(settings),
    volumes: volumeMountsToJson(settings.volumes),
    schedule: schedule && { cron: schedule.cron, timezone: schedule.timezone },
    health: settings.health ?? null,
  };
}
