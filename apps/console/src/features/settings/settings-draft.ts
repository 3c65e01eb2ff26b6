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

/** A volume at a mount path, as it is being written. */
export interface MountDraft {
  readonly path: string;
  readonly volume: string;
  readonly isReadOnly: boolean;
  readonly subPath: string;
}

/** What a form holds for a setting that is one value, by its kind. */
interface DraftByKind {
  integer: string;
  memory: string;
  cpu: string;
  boolean: boolean;
}

/** The settings of a deployment as texts in a form; each is checked by the server, which says what is wrong with it. */
export interface SettingsDraft extends ValueFields<DraftByKind> {
  readonly mounts: readonly MountDraft[];
  /** Empty: no schedule. */
  readonly cron: string;
  readonly timezone: string;
  /** A path, or JSON where the times are not the defaults. Empty: no health check. */
  readonly health: string;
}

/** The settings that a deployment has, or those of a new one; what the `berth.json` of a source names comes first. */
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

/** The deploy form that a draft stands for. Rows of volumes that are empty are left out. */
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

/** The volumes of `base` that `draft` detaches, also where another one takes the place. */
export function detachedMounts(base: SettingsDraft, draft: SettingsDraft): readonly MountDraft[] {
  return base.mounts.filter(
    (mount) =>
      !draft.mounts.some(
        ({ path, volume, subPath }) => path === mount.path && volume === mount.volume && subPath === mount.subPath,
      ),
  );
}

/** The flags of `berth deploy` and `berth redeploy` that make `draft` of the settings in `base`, which both commands keep. */
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

/** True for two values of a draft that are alike in all their parts. */
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

/** `rw` is said where a sub path could be read as `ro`. Source: berth deploy --help */
function toFlag({ path, volume, isReadOnly, subPath }: MountDraft): string {
  const mode = isReadOnly ? ':ro' : subPath === '' ? '' : ':rw';
  return `${path}=${volume}${mode}${subPath === '' ? '' : `:${subPath}`}`;
}
