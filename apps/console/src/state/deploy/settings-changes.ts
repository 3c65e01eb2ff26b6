import type { SettingsToChange } from '@berth/client';
import type { Deployment } from '@berth/contract';
import { draftOf, type SettingsDraft, TEXT_FLAGS, toDeployFields, toVolumeFlags } from './settings-draft.ts';

/** What was typed over the settings that a deployment has; what was not stays as it is there, also when that changes. */
export type SettingsEdits = Partial<SettingsDraft>;

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

/** The edits that a form stands for. Those that are as the deployment has it are none. */
export function editsOf(deployment: Deployment, draft: SettingsDraft): SettingsEdits {
  const base = draftOf(deployment);
  const changed = Object.entries(draft).filter(([key, value]) => !isSame(value, base[key as keyof SettingsDraft]));
  return Object.fromEntries(changed) as SettingsEdits;
}

/** The fields of the API that differ from what the deployment has. */
export function toChangedFields(deployment: Deployment, edits: SettingsEdits): SettingsToChange {
  const base = draftOf(deployment);
  const draft = { ...base, ...edits };
  const { function_name: _, ...before } = toDeployFields(deployment.name, base);
  const { function_name: __, ...after } = toDeployFields(deployment.name, draft);
  const changed = Object.entries(after).filter(([key, value]) => !isSame(value, before[key as keyof typeof before]));
  const isUnscheduled = before.schedule !== undefined && after.schedule === undefined;
  return { ...Object.fromEntries(changed), ...(isUnscheduled && { schedule: null }) };
}

/** The words of `berth redeploy` that say the same. */
export function toRedeployFlags(deployment: Deployment, edits: SettingsEdits): string[] {
  const changed = toChangedFields(deployment, edits);
  const draft = { ...draftOf(deployment), ...edits };
  const volumes = toVolumeFlags(draft);
  return [
    ...TEXT_FLAGS.flatMap(([flag, key]) => (key in edits ? [flag, draft[key]] : [])),
    ...(changed.session_affinity === undefined ? [] : [flagOf('session-affinity', changed.session_affinity)]),
    ...(changed.use_http2 === undefined ? [] : [flagOf('http2', changed.use_http2)]),
    ...(changed.volumes === undefined ? [] : volumes.length === 0 ? ['--no-volumes'] : volumes),
    ...(changed.schedule === null ? ['--no-schedule'] : []),
    ...(changed.schedule ? ['--schedule', draft.cron.trim(), '--timezone', draft.timezone] : []),
  ];
}

function flagOf(name: string, isOn: boolean): string {
  return isOn ? `--${name}` : `--no-${name}`;
}
