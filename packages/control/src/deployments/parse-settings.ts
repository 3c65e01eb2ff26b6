import type { DeploySettings } from '@berth/contract';
import { DEPLOY_DEFAULTS } from '@berth/contract/limits';

/** Settings that were added after the first version, and so are absent from older rows. */
type AddedSetting = 'minInstances';

/** Reads the settings of a stored deploy, deployment or revision; what its version did not know yet takes the default. */
export function parseSettings(json: string): DeploySettings {
  const stored = JSON.parse(json) as Omit<DeploySettings, AddedSetting> & Partial<Pick<DeploySettings, AddedSetting>>;
  return { ...stored, minInstances: stored.minInstances ?? DEPLOY_DEFAULTS.min_instances };
}
