import { type DeployFields, toFormFields, type VolumeTarget } from '@berth/client';
import { type DeploySettings, parseDeployForm, type ValidationIssue } from '@berth/contract';
import { UsageError } from '../usage-error.ts';
import type { DeployOptions } from './deploy-options.ts';
import { parseVolumeFlag } from './parse-volume-flag.ts';

/** The flag of each form field whose name is not the flag's. */
const FLAGS: Readonly<Record<string, string>> = {
  function_name: '--name',
  use_http2: '--http2',
  source_object: '--source-object',
  'source_archive.0': '--archive',
  volumes: '--volume',
};

/** The form of a deploy, and what it means. */
export interface DeployForm {
  readonly fields: DeployFields;
  readonly settings: DeploySettings;
}

/**
 * Turns the flags into the form and checks it by the contract's own rules, so that a mistake costs no upload.
 * @throws UsageError naming every wrong flag
 */
export function readDeployFields(name: string, options: DeployOptions): DeployForm {
  const fields: DeployFields = {
    function_name: name,
    volumes: readVolumes(options),
    ...instanceFields(options),
    ...optional('schedule', options.schedule),
    ...optional('source_object', options.sourceObject),
  };
  const form = parseDeployForm({ fields: toFormFields(fields), hasArchive: options.sourceObject === undefined });
  if ('issues' in form) throw new UsageError(form.issues.map(describeIssue).join('\n'));
  return { fields, settings: form.settings };
}

/** What the flags of an instance, and its time zone, say in a deploy and a redeploy alike. */
export function instanceFields(options: InstanceOptions): InstanceFields {
  return {
    ...optional('port', options.port),
    ...optional('memory', options.memory),
    ...optional('cpu', options.cpu),
    ...optional('timeout', options.timeout),
    ...optional('concurrency', options.concurrency),
    ...optional('max_instances', options.maxInstances),
    ...optional('session_affinity', options.sessionAffinity),
    ...optional('use_http2', options.http2),
    ...optional('timezone', options.timezone),
  };
}

type InstanceOptions = Pick<
  DeployOptions,
  ('port' | 'memory' | 'cpu' | 'timeout' | 'concurrency') | ('maxInstances' | 'sessionAffinity' | 'http2' | 'timezone')
>;
type InstanceFields = Pick<
  DeployFields,
  | ('port' | 'memory' | 'cpu' | 'timeout' | 'concurrency')
  | ('max_instances' | 'session_affinity' | 'use_http2' | 'timezone')
>;

/** A field that is left out where there is nothing to say. */
export function optional<Key extends string, Value>(key: Key, value: Value | undefined): { [K in Key]?: Value } {
  return (value === undefined ? {} : { [key]: value }) as { [K in Key]?: Value };
}

/** The volumes that flags declare, by mount path. @throws UsageError */
export function readVolumes({
  volume = [],
  volumes,
}: Pick<DeployOptions, 'volume' | 'volumes'>): Record<string, VolumeTarget> {
  // A Map, because `__proto__` is a path like any other until the contract refuses it.
  const mounts = new Map<string, VolumeTarget>(volumes === undefined ? [] : parseVolumesJson(volumes));
  for (const text of volume) {
    const [mountPath, target] = parseVolumeFlag(text);
    if (mounts.has(mountPath)) throw new UsageError(`--volume: ${mountPath} is given twice`);
    mounts.set(mountPath, target);
  }
  return Object.fromEntries(mounts);
}

function parseVolumesJson(text: string): [string, VolumeTarget][] {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return Object.entries(value);
  } catch {
    // Told below, in the words that fit both.
  }
  throw new UsageError('--volumes: write a JSON object of mount paths, such as {"/data":"my-data"}');
}

function describeIssue({ loc, msg }: ValidationIssue): string {
  const [, field = '', ...rest] = loc.map(String);
  const flag = FLAGS[field] ?? `--${field.replaceAll('_', '-')}`;
  return `${[flag, ...rest].join(' ')}: ${msg}`;
}
