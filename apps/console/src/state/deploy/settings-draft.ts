import type { DeployFields, VolumeTarget } from '@berth/client';
import type { Deployment, ValidationIssue } from '@berth/contract';
import { DEPLOY_DEFAULTS } from '@berth/contract/limits';

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
  readonly hasSessionAffinity: boolean;
  readonly usesHttp2: boolean;
  readonly mounts: readonly MountDraft[];
  /** Empty: no schedule. */
  readonly cron: string;
  readonly timezone: string;
}

/** The settings that a deployment has, or those of a new one. */
export function draftOf(deployment?: Deployment): SettingsDraft {
  const from = deployment ?? DEPLOY_DEFAULTS;
  return {
    port: String(from.port),
    memory: from.memory,
    cpu: String(from.cpu),
    timeout: String(from.timeout),
    concurrency: String(from.concurrency),
    maxInstances: String(from.max_instances),
    hasSessionAffinity: from.session_affinity,
    usesHttp2: from.use_http2,
    mounts: Object.entries(deployment?.volumes ?? {}).map(([path, { name, read_only, sub_path }]) => ({
      path,
      volume: name,
      isReadOnly: read_only,
      subPath: sub_path,
    })),
    cron: deployment?.schedule?.cron ?? '',
    timezone: deployment?.schedule?.timezone ?? 'UTC',
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
    session_affinity: draft.hasSessionAffinity,
    use_http2: draft.usesHttp2,
    volumes: Object.fromEntries(filled(draft).map((mount) => [mount.path, toTarget(mount)])),
    ...(cron === '' ? {} : { schedule: { cron, timezone: draft.timezone } }),
  };
}

/** The flags of the settings that are a text alone. Source: berth deploy --help */
export const TEXT_FLAGS = [
  ['--port', 'port'],
  ['--memory', 'memory'],
  ['--cpu', 'cpu'],
  ['--timeout', 'timeout'],
  ['--concurrency', 'concurrency'],
  ['--max-instances', 'maxInstances'],
] as const;

/** `--volume` for each volume of a draft. */
export function toVolumeFlags(draft: SettingsDraft): string[] {
  return filled(draft).flatMap((mount) => ['--volume', toFlag(mount)]);
}

/** The words of `berth deploy` that say the same; what is a new deployment's default is left out. */
export function toDeployFlags(name: string, draft: SettingsDraft): string[] {
  const standard = draftOf();
  const cron = draft.cron.trim();
  return [
    '--name',
    name,
    ...TEXT_FLAGS.flatMap(([flag, key]) => (draft[key] === standard[key] ? [] : [flag, draft[key]])),
    ...(draft.hasSessionAffinity ? ['--session-affinity'] : []),
    ...(draft.usesHttp2 ? ['--http2'] : []),
    ...toVolumeFlags(draft),
    ...(cron === '' ? [] : ['--schedule', cron, '--timezone', draft.timezone]),
  ];
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
