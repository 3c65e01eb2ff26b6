import { type DeployFields, type SettingsToChange, toFormFields } from '@berth/client';
import {
  DEPLOY_DEFAULTS,
  type Deployment,
  type DeploySettings,
  type FileSettings,
  isCpuRaised,
  parseDeployForm,
  SETTING_FIELDS,
  type SettingField,
  settingsOfDeployment,
  type ValidationIssue,
} from '@berth/contract';
import { UsageError } from '../errors/usage-error.ts';
import type { OneFlagField, SettingOptions } from './deploy-options.ts';
import { hasVolumeFlags, mergeVolumes } from './merge-volumes.ts';
import { flagOf, ONE_FLAG_FIELDS, optionOf } from './setting-flags.ts';

/** Sources of a deploy's settings, by precedence. */
export interface SettingSources {
  readonly options: SettingOptions;
  /** Settings of `berth.json`. */
  readonly file: FileSettings;
  /** The deployment that has the name now. */
  readonly deployed: Deployment | undefined;
  /** Fields of the form besides its name and settings. */
  readonly others?: Partial<DeployFields>;
}

/** The complete form of a deploy. */
export interface DeployForm {
  readonly fields: DeployFields;
  readonly settings: DeploySettings;
  /** Settings that neither a flag nor `berth.json` names. */
  readonly kept: ReadonlySet<SettingField>;
}

/**
 * Composes the form of a deploy: flags override `berth.json`, which overrides the current deployment. The contract's rules validate it
 * before anything is uploaded.
 * @throws UsageError naming every wrong flag, and every wrong setting of `berth.json`
 */
export function readDeployForm(name: string, { options, file, deployed, others = {} }: SettingSources): DeployForm {
  const base = { ...(deployed && settingsOfDeployment(deployed)), ...file };
  const schedule = mergeSchedule(base.schedule ?? undefined, options);
  const values = {
    ...base,
    ...oneFlagFields(options),
    volumes: mergeVolumes(base.volumes ?? {}, options),
    schedule,
  };
  const named = new Set<SettingField>([
    ...(Object.keys(oneFlagFields(options)) as SettingField[]),
    ...(Object.keys(file) as SettingField[]),
    ...(hasVolumeFlags(options) ? (['volumes'] as const) : []),
    ...(options.schedule === undefined && options.timezone === undefined ? [] : (['schedule'] as const)),
  ]);
  if (deployed && named.has('memory') && !named.has('cpu') && isCpuRaised(deployed)) values.cpu = DEPLOY_DEFAULTS.cpu;
  const fields: DeployFields = {
    function_name: name,
    ...values,
    ...others,
  };
  const form = parseDeployForm({ fields: toFormFields(fields), hasArchive: others.source_object === undefined });
  if ('issues' in form) {
    const isInFile = (field: string) => field in file && !(field in oneFlagFields(options));
    throw new UsageError(form.issues.map((issue) => describeIssue(issue, isInFile)).join('\n'));
  }
  return { fields, settings: form.settings, kept: new Set(SETTING_FIELDS.filter((field) => !named.has(field))) };
}

/**
 * Returns the settings that the flags of a redeploy change. The server validates them together with the others.
 * @param deployed the currently mounted volumes
 * @throws UsageError for a flag that can't be read
 */
export function readSettingsChanges(options: SettingOptions, deployed: Deployment['volumes']): SettingsToChange {
  const { schedule, timezone } = options;
  return {
    ...oneFlagFields(options),
    volumes: hasVolumeFlags(options) ? mergeVolumes(deployed, options) : undefined,
    schedule: schedule === false ? null : schedule,
    timezone,
  };
}

/** The settings with one flag that were given, as fields of the form. */
function oneFlagFields(options: SettingOptions): Pick<DeployFields, OneFlagField> {
  const given = ONE_FLAG_FIELDS.map((field) => {
    const value = optionOf(options, field);
    return [field, field === 'health' && value === false ? null : value] as const;
  });
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}

/** @throws UsageError for a time zone without a schedule */
function mergeSchedule(
  base: FileSettings['schedule'],
  { schedule, timezone }: SettingOptions,
): Exclude<DeployFields['schedule'], undefined> | undefined {
  if (schedule === false) return undefined;
  const before = typeof base === 'string' ? { cron: base } : (base ?? undefined);
  const zone = timezone ?? before?.timezone;
  const cron = schedule ?? before?.cron;
  if (cron === undefined) {
    if (timezone !== undefined) throw new UsageError('--timezone: there is no schedule. Give one with --schedule.');
    return undefined;
  }
  return zone === undefined ? cron : { cron, timezone: zone };
}

function describeIssue({ loc, msg }: ValidationIssue, isInFile: (field: string) => boolean): string {
  const [, field = '', ...rest] = loc.map(String);
  return isInFile(field)
    ? `berth.json: ${[field, ...rest].join('.')}: ${msg}`
    : `${[flagOf(field), ...rest].join(' ')}: ${msg}`;
}
