import type { RollbackPreview } from '@berth/contract';

type Schedule = NonNullable<RollbackPreview['schedule']>['to'];
type Mount = RollbackPreview['volumes'][number]['to'];

/** Returns what a rollback changes, one sentence each: build, settings, schedule, volume mounts, variables. */
export function describeRollback(preview: RollbackPreview): readonly string[] {
  const { from, to, build, settings, schedule, volumes, variables, created_volumes: created } = preview;
  const changes = [
    ...(build ? [change('build', build.from ?? 'none', build.to ?? 'none')] : []),
    ...settings.map((one) => change(one.field, settingText(one.from), settingText(one.to))),
    ...(schedule ? [change('schedule', cronText(schedule.from), cronText(schedule.to))] : []),
    ...volumes.map((one) => change(`volume at ${one.mount_path}`, mountText(one.from), mountText(one.to))),
    ...created.map((volume) => `volume ${volume} was deleted: created empty`),
    ...variables.map(({ key, change }) => `variable ${key}: ${VARIABLE_TEXTS[change]}`),
  ];
  if (changes.length === 0) return [`${from} and ${to} have the same build, settings, and variables.`];
  return [
    `Changes from ${from} to ${to}:`,
    ...changes.map((line) => `  ${line}`),
    ...(variables.length > 0 ? ['Variables set since then stay saved and apply again with the next deploy.'] : []),
  ];
}

const VARIABLE_TEXTS = { added: 'set again', changed: 'earlier value', removed: 'not set' } as const;

const change = (what: string, from: string, to: string) => `${what}: ${from} -> ${to}`;

function settingText(value: RollbackPreview['settings'][number]['to']): string {
  if (typeof value !== 'object') return String(value);
  return value === null ? 'none' : `${value.path} every ${value.interval} s, timeout ${value.timeout} s`;
}

const cronText = (schedule: Schedule) => (schedule === null ? 'none' : `${schedule.cron} (${schedule.timezone})`);

function mountText(mount: Mount): string {
  if (mount === null) return 'none';
  return `${mount.name}${mount.sub_path === '' ? '' : `/${mount.sub_path}`}${mount.read_only ? ' (read-only)' : ''}`;
}
