import { DEFAULT_SETTINGS, type DeploySettings } from '@berth/contract';

/** Parses the settings of a stored deploy, deployment or revision. A setting newer than the row takes its default. */
export function parseSettings(json: string): DeploySettings {
  return { ...DEFAULT_SETTINGS, ...(JSON.parse(json) as DeploySettings) };
}
