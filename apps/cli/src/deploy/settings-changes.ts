import {
  DEPLOY_DEFAULTS,
  type Deployment,
  type DeploySettings,
  SETTING_FIELDS,
  type SettingField,
  toDeploymentSettings,
} from '@berth/contract';
import { flagOf } from './setting-flags.ts';

/** How the settings of a deploy differ from the current deployment. */
export interface SettingsChanges {
  /** Changed settings, such as `memory 2Gi → 1Gi`, without detached volumes. */
  readonly changed: readonly string[];
  /** Kept settings that differ from the defaults, such as `volume data at /data`. */
  readonly kept: readonly string[];
}

/** Compares the current deployment with the settings of the next deploy. */
export function findSettingsChanges(
  before: Deployment,
  after: DeploySettings,
  keptFields: ReadonlySet<SettingField>,
): SettingsChanges {
  const next = toDeploymentSettings(after);
  const changed: string[] = [];
  const kept: string[] = [];
  for (const field of SETTING_FIELDS) {
    if (field === 'volumes') continue;
    const [old, now] = [show(before[field]), show(next[field])];
    const name = flagOf(field).slice(2);
    if (old !== now) changed.push(`${name} ${old} → ${now}`);
    else if (keptFields.has(field) && old !== show(defaultOf(field))) kept.push(`${name} ${now}`);
  }
  for (const [mountPath, { name }] of Object.entries(next.volumes)) {
    const isSame = before.volumes[mountPath]?.name === name;
    if (!isSame) changed.push(`volume ${name} at ${mountPath}`);
    else if (keptFields.has('volumes')) kept.push(`volume ${name} at ${mountPath}`);
  }
  return { changed, kept };
}

function defaultOf(field: SettingField): unknown {
  return field in DEPLOY_DEFAULTS ? DEPLOY_DEFAULTS[field as keyof typeof DEPLOY_DEFAULTS] : null;
}

function show(value: unknown): string {
  if (value === null || value === undefined) return 'none';
  if (typeof value !== 'object') return String(value);
  return Object.values(value).join(' ');
}
