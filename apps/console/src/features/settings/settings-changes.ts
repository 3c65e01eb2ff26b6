import type { SettingsToChange } from '@berth/client';
import type { Deployment } from '@berth/contract';
import { draftOf, isSame, type SettingsDraft, toDeployFields } from './settings-draft.ts';

/** Settings that were edited in the form. Other settings follow the deployment, even when it changes meanwhile. */
export type SettingsEdits = Partial<SettingsDraft>;

/** Returns the fields of a form that differ from `base`. */
export function editsOf(base: SettingsDraft, draft: SettingsDraft): SettingsEdits {
  const changed = Object.entries(draft).filter(([key, value]) => !isSame(value, base[key as keyof SettingsDraft]));
  return Object.fromEntries(changed) as SettingsEdits;
}

/** Returns the API fields that differ from the deployment's settings. */
export function toChangedFields(deployment: Deployment, edits: SettingsEdits): SettingsToChange {
  const base = draftOf(deployment);
  const draft = { ...base, ...edits };
  const { function_name: _, ...before } = toDeployFields(deployment.name, base);
  const { function_name: __, ...after } = toDeployFields(deployment.name, draft);
  const changed = Object.entries(after).filter(([key, value]) => !isSame(value, before[key as keyof typeof before]));
  const isUnscheduled = before.schedule !== undefined && after.schedule === undefined;
  const isUnchecked = before.health !== undefined && after.health === undefined;
  return {
    ...Object.fromEntries(changed),
    ...(isUnscheduled && { schedule: null }),
    ...(isUnchecked && { health: null }),
  };
}
