import { z } from '@hono/zod-openapi';
import { type DeployFormResult, type DeploySettings, parseDeployForm } from './deploy-form.ts';
import { mapSettings, pickValues, SETTINGS } from './settings.ts';
import type { ValidationIssue } from './validation-issue.ts';
import { volumeMountsToJson } from './volume-mounts.ts';

/** Numbers and booleans may also be strings, as in the deploy form. {@link parseDeployForm} validates the values. */
const settingSchemas = mapSettings({
  integer: ({ min: minimum, max: maximum }) =>
    z.union([z.number(), z.string()]).nullish().openapi({ type: 'integer', minimum, maximum }),
  memory: ({ example }) => z.string().nullish().openapi({ example }),
  cpu: () => z.union([z.number(), z.string()]).nullish().openapi({ type: 'number' }),
  boolean: () => z.union([z.boolean(), z.string()]).nullish().openapi({ type: 'boolean' }),
  volumes: () =>
    z
      .union([z.record(z.string(), z.unknown()), z.string()])
      .nullish()
      .openapi({ description: 'Mount path to volume, as for a deploy; {} for none' }),
  schedule: () =>
    z
      .union([z.object({ cron: z.string(), timezone: z.string().nullish() }), z.string()])
      .nullish()
      .openapi({ description: '{"cron","timezone"} or a bare cron string; null for none' }),
  health: () =>
    z
      .union([z.record(z.string(), z.unknown()), z.string()])
      .nullish()
      .openapi({ description: '{"path","interval","timeout"} or a path; null for none' }),
});

/**
 * Body of `POST /v1/deployment/redeploy`: the name and the settings to change. Absent settings stay. `volumes` replaces all
 * mounts; `null` or an empty string removes the schedule or the health check; a bare cron string keeps the time zone.
 */
export const redeployRequestSchema = z
  .object({ name: z.string(), ...settingSchemas, timezone: z.string().nullish() })
  .openapi('RedeployRequest');

export type RedeployRequest = z.infer<typeof redeployRequestSchema>;

/** The deploy form's fields to change, as strings. An empty `schedule` or `health` removes it. */
export type SettingsChanges = Readonly<Record<string, string>>;

/** Returns the changes that a request asks for. Fields without a value change nothing. */
export function toSettingsChanges({ name: _, schedule, health, ...fields }: RedeployRequest): SettingsChanges {
  const changes: Record<string, string> = {};
  for (const [field, value] of Object.entries(fields)) {
    if (value === undefined || value === null || value === '') continue;
    changes[field] = typeof value === 'object' ? JSON.stringify(value) : String(value);
  }
  for (const [field, value] of Object.entries({ schedule, health })) {
    if (value === undefined) continue;
    changes[field] = typeof value === 'object' && value !== null ? JSON.stringify(value) : (value ?? '');
  }
  return changes;
}

/**
 * Returns the settings of a deployment after changes, validated like a deploy form, or all issues found. A CPU that was
 * raised for its memory is reset to the requested value and raised for the new memory.
 */
export function changeSettings(
  settings: DeploySettings,
  changes: SettingsChanges,
): { readonly settings: DeploySettings } | { readonly issues: readonly ValidationIssue[] } {
  const { schedule } = settings;
  const fields: Record<string, string> = { ...toFormTexts(settings), ...changes };
  const { timezone, schedule: cron } = changes;
  if (timezone !== undefined && cron === undefined) {
    if (!schedule) {
      const msg = 'there is no schedule; send one as well';
      return { issues: [{ loc: ['body', 'timezone'], msg, type: 'schedule_missing' }] };
    }
    fields['schedule'] = schedule.cron;
  }
  const isBareCron = cron !== undefined && cron.trim() !== '' && !cron.trim().startsWith('{');
  if (isBareCron && timezone === undefined && schedule) fields['timezone'] = schedule.timezone;
  const result: DeployFormResult = parseDeployForm({ fields, hasArchive: true });
  return 'issues' in result ? result : { settings: result.settings };
}

/** Returns the fields of a deploy form with these settings. */
function toFormTexts(settings: DeploySettings): Record<string, string> {
  const { schedule } = settings;
  return {
    function_name: settings.name,
    ...pickValues((field) => String(settings[SETTINGS[field].property])),
    cpu: String(settings.cpuRaisedFrom ?? settings.cpu),
    volumes: JSON.stringify(volumeMountsToJson(settings.volumes)),
    schedule: schedule ? JSON.stringify({ cron: schedule.cron, timezone: schedule.timezone }) : '',
    health: settings.health ? JSON.stringify(settings.health) : '',
  };
}
