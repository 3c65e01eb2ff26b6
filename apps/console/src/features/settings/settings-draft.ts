import type { DeployFields, VolumeTarget } from '@berth/client';
import type { Deployment, FileSettings } from '@berth/contract';
import { HEALTH_DEFAULTS } from '@berth/contract/limits';
import {
  DEPLOY_DEFAULTS,
  pickValues,
  SETTINGS,
  VALUE_FIELDS,
  type ValueField,
  type ValueFields,
} from '@berth/contract/settings';

/** Form values of a volume mounted at a path. */
export interface MountDraft {
  readonly path: string;
  readonly volume: string;
  readonly isReadOnly: boolean;
  readonly subPath: string;
}

/** Form value of a single-value setting, by the kind of setting. */
interface DraftByKind {
  integer: string;
  memory: string;
  cpu: string;
  boolean: boolean;
}

/** Form values of a deployment's settings. The server validates them and reports problems by field. */
export interface SettingsDraft extends ValueFields<DraftByKind> {
  readonly mounts: readonly MountDraft[];
  /** A cron expression; empty for no schedule. */
  readonly cron: string;
  readonly timezone: string;
  /** A path, or JSON if the times are not the defaults; empty for no health check. */
  readonly health: string;
}

/**
 * Returns the form values of a deployment, or the defaults of a new one. Settings in the source's `berth.json` take
 * precedence.
 */
export function draftOf(deployment?: Deployment, file: FileSettings = {}): SettingsDraft {
  const from = { ...(deployment ?? DEPLOY_DEFAULTS), ...file };
  const schedule = typeof from.schedule === 'string' ? { cron: from.schedule } : from.schedule;
  const values = pickValues((field) => (typeof from[field] === 'boolean' ? from[field] : String(from[field])));
  return {
    ...(values as ValueFields<DraftByKind>),
    mounts: Object.entries(from.volumes ?? {}).map(([path, target]) => {
      const { name, read_only = false, sub_path = '' } = typeof target === 'string' ? { name: target } : target;
      return { path, volume: name, isReadOnly: read_only, subPath: sub_path };
    }),
    cron: schedule?.cron ?? '',
    timezone: schedule?.timezone ?? 'UTC',
    health: healthText(from.health ?? null),
  };
}

/** Returns the deploy fields of a form. Leaves out empty mounts. */
export function toDeployFields(name: string, draft: SettingsDraft): DeployFields {
  const { mounts: _, cron, timezone, health, ...values } = draft;
  return {
    function_name: name,
    ...values,
    volumes: Object.fromEntries(filled(draft).map((mount) => [mount.path, toTarget(mount)])),
    ...(cron.trim() === '' ? {} : { schedule: { cron: cron.trim(), timezone } }),
    ...(health.trim() === '' ? {} : { health: health.trim() }),
  };
}

/** Returns the mounts of `base` that `draft` removes or replaces. */
export function detachedMounts(base: SettingsDraft, draft: SettingsDraft): readonly MountDraft[] {
  return base.mounts.filter(
    (mount) =>
      !draft.mounts.some(
        ({ path, volume, subPath }) => path === mount.path && volume === mount.volume && subPath === mount.subPath,
      ),
  );
}

/**
 * Returns the flags of `berth deploy` and `berth redeploy` that change `base` into `draft`. Both commands keep other
 * settings.
 */
export function toSettingFlags(base: SettingsDraft, draft: SettingsDraft): string[] {
  const cron = draft.cron.trim();
  const isRescheduled = cron !== base.cron || (cron !== '' && draft.timezone !== base.timezone);
  const detaches = detachedMounts(base, draft).length > 0;
  const mounts = filled(draft).filter((mount) => detaches || !base.mounts.some((before) => isSame(before, mount)));
  return [
    ...VALUE_FIELDS.flatMap((field) => (draft[field] === base[field] ? [] : valueFlags(field, draft[field]))),
    ...(detaches ? ['--no-volume'] : []),
    ...mounts.flatMap((mount) => ['--volume', toFlag(mount)]),
    ...(isRescheduled ? (cron === '' ? ['--no-schedule'] : ['--schedule', cron, '--timezone', draft.timezone]) : []),
    ...(draft.health.trim() === base.health ? [] : healthFlags(draft.health.trim())),
  ];
}

/** Returns whether two form values are deeply equal. */
export function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function healthText(health: Exclude<FileSettings['health'], undefined>): string {
  if (health === null || typeof health === 'string') return health ?? '';
  const { path, interval, timeout } = { ...HEALTH_DEFAULTS, ...health };
  const isDefault = interval === HEALTH_DEFAULTS.interval && timeout === HEALTH_DEFAULTS.timeout;
  return isDefault ? path : JSON.stringify({ path, interval, timeout });
}

function valueFlags(field: ValueField, value: string | boolean): string[] {
  const { flag } = SETTINGS[field];
  return typeof value === 'boolean' ? [`--${value ? '' : 'no-'}${flag}`] : [`--${flag}`, value];
}

function healthFlags(health: string): string[] {
  return health === '' ? ['--no-health'] : ['--health', health];
}

function filled({ mounts }: SettingsDraft): readonly MountDraft[] {
  return mounts.filter(({ path, volume }) => path !== '' || volume !== '');
}

function toTarget({ volume, isReadOnly, subPath }: MountDraft): VolumeTarget {
  if (!isReadOnly && subPath === '') return volume;
  return { name: volume, ...(isReadOnly && { read_only: true }), ...(subPath !== '' && { sub_path: subPath }) };
}

/**
 * Returns the value of a `--volume` flag. Writes `:rw` where a sub path could otherwise be read as `ro`. Source: berth
 * deploy --help
 */
function toFlag({ path, volume, isReadOnly, subPath }: MountDraft): string {
  const mode = isReadOnly ? ':ro' : subPath === '' ? '' : ':rw';
  return `${path}=${volume}${mode}${subPath === '' ? '' : `:${subPath}`}`;
}
