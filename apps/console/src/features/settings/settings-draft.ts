import type { DeployFields, VolumeTarget } from '@berth/client';
import type { Deployment, FileSettings, ValidationIssue } from '@berth/contract';
import { HEALTH_DEFAULTS } from '@berth/contract/limits';
import { DEPLOY_DEFAULTS } from '@berth/contract/settings';

/** A volume at a mount path, as it is being written. */
export interface MountDraft {
  readonly path: string;
  readonly volume: string;
  readonly isReadOnly: boolean;
  readonly subPath: string;
}

/** The settings of a deployment as texts in a form; each is checked by the server, which says what is wrong with it. */
export interface SettingsDraft {
  readonly port: string;
  readonly memory: string;
  readonly cpu: string;
  /** Seconds. */
  readonly timeout: string;
  readonly concurrency: string;
  /** `0` leaves it to the platform. */
  readonly maxInstances: string;
  /** Kept running without requests. */
  readonly minInstances: string;
  readonly hasSessionAffinity: boolean;
  readonly usesHttp2: boolean;
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
  return {
    port: String(from.port),
    memory: from.memory ?? '',
    cpu: String(from.cpu),
    timeout: String(from.timeout),
    concurrency: String(from.concurrency),
    maxInstances: String(from.max_instances),
    minInstances: String(from.min_instances),
    hasSessionAffinity: from.session_affinity ?? false,
    usesHttp2: from.use_http2 ?? false,
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
  const cron = draft.cron.trim();
  return {
    function_name: name,
    port: draft.port,
    memory: draft.memory,
    cpu: draft.cpu,
    timeout: draft.timeout,
    concurrency: draft.concurrency,
    max_instances: draft.maxInstances,
    min_instances: draft.minInstances,
    session_affinity: draft.hasSessionAffinity,
    use_http2: draft.usesHttp2,
    volumes: Object.fromEntries(filled(draft).map((mount) => [mount.path, toTarget(mount)])),
    ...(cron === '' ? {} : { schedule: { cron, timezone: draft.timezone } }),
    ...(draft.health.trim() === '' ? {} : { health: draft.health.trim() }),
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

/** The flags of the settings that are a text alone. Source: berth deploy --help */
const TEXT_FLAGS = [
  ['--port', 'port'],
  ['--memory', 'memory'],
  ['--cpu', 'cpu'],
  ['--timeout', 'timeout'],
  ['--concurrency', 'concurrency'],
  ['--max-instances', 'maxInstances'],
  ['--min-instances', 'minInstances'],
] as const;

/** The flags of the settings that are a switch. */
const SWITCH_FLAGS = [
  ['session-affinity', 'hasSessionAffinity'],
  ['http2', 'usesHttp2'],
] as const;

/** The flags of `berth deploy` and `berth redeploy` that make `draft` of the settings in `base`, which both commands keep. */
export function toSettingFlags(base: SettingsDraft, draft: SettingsDraft): string[] {
  const cron = draft.cron.trim();
  const isRescheduled = cron !== base.cron || (cron !== '' && draft.timezone !== base.timezone);
  const detaches = detachedMounts(base, draft).length > 0;
  const mounts = filled(draft).filter((mount) => detaches || !base.mounts.some((before) => isSame(before, mount)));
  return [
    ...TEXT_FLAGS.flatMap(([flag, key]) => (draft[key] === base[key] ? [] : [flag, draft[key]])),
    ...SWITCH_FLAGS.flatMap(([flag, key]) => (draft[key] === base[key] ? [] : [`--${draft[key] ? '' : 'no-'}${flag}`])),
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

/** What the server found wrong, by the name of the form's field: `memory`, `volumes`, `schedule`… */
export function problemsByField(issues: readonly ValidationIssue[]): Readonly<Record<string, string>> {
  const problems: Record<string, string> = {};
  for (const { loc, msg } of issues) {
    const [, field = '', ...rest] = loc.map(String);
    problems[field] ??= rest.length === 0 ? msg : `${rest.join(' ')}: ${msg}`;
  }
  return problems;
}

function healthText(health: Exclude<FileSettings['health'], undefined>): string {
  if (health === null || typeof health === 'string') return health ?? '';
  const { path, interval, timeout } = { ...HEALTH_DEFAULTS, ...health };
  const isDefault = interval === HEALTH_DEFAULTS.interval && timeout === HEALTH_DEFAULTS.timeout;
  return isDefault ? path : JSON.stringify({ path, interval, timeout });
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
