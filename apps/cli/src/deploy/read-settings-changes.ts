import type { SettingsToChange } from '@berth/client';
import type { DeployOptions } from './deploy-options.ts';
import { instanceFields, optional, readVolumes } from './read-deploy-fields.ts';

/** The flags of `berth redeploy`; false of those that are given with `--no-`. */
export interface RedeployOptions
  extends Omit<DeployOptions, 'volumes' | 'schedule' | 'name' | 'sourceObject' | 'archive' | 'yes' | 'detach'> {
  readonly volumes?: string | false;
  readonly schedule?: string | false;
}

/**
 * What the flags change; the server checks it together with what stays.
 * @throws UsageError for volumes that can't be read
 */
export function readSettingsChanges({ volumes, volume, schedule, ...options }: RedeployOptions): SettingsToChange {
  const hasVolumes = volumes !== undefined || volume !== undefined;
  return {
    ...instanceFields(options),
    ...(hasVolumes && {
      volumes: readVolumes({
        ...optional('volume', volume),
        ...optional('volumes', volumes === false ? undefined : volumes),
      }),
    }),
    ...optional('schedule', schedule === false ? null : schedule),
  };
}
