import { DEFAULT_SETTINGS, type DeploySettings } from '@berth/contract';

/** Reads the settings of a stored deploy, deployment or revision. A setting that is younger than the row takes its default. */
export function parseSettings(json: string): DeploySettings {
  return { ...DEFAULT_SETTINGS, ...(JSON.parse(json) as DeploySettings) };
}
