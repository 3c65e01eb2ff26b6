import { z } from '@hono/zod-openapi';
import { deploymentNameProblem } from './deployment-name.ts';
import { type HealthCheck, parseHealthCheck } from './health-check.ts';
import { isCpuAllowed, isMemoryInRange, minimumMemoryBytes, parseMemory, raisedCpu } from './resources.ts';
import { parseSchedule, type Schedule } from './schedule.ts';
import {
  DEPLOY_DEFAULTS,
  describeApiSetting,
  mapSettings,
  type Setting,
  toValueSettings,
  type ValueSettings,
} from './settings.ts';
import { CANARY_SECONDS, type DeployTraffic, tagProblem } from './traffic.ts';
import { toValidationIssues, type ValidationIssue } from './validation-issue.ts';
import { parseVolumeMounts, VOLUME_NAME_PATTERN, type VolumeMount } from './volume-mounts.ts';

const integerSchema = (min: number, max: number) =>
  z
    .string()
    .trim()
    .regex(/^[+-]?\d+$/, 'must be an integer')
    .transform(Number)
    .pipe(z.number().min(min).max(max));

const flagSchema = z
  .string()
  .trim()
  .toLowerCase()
  .pipe(z.enum(['true', 'false', '1', '0'], 'must be true, false, 1 or 0'))
  .transform((text) => text === 'true' || text === '1');

const formSchemas = mapSettings({
  integer: (setting) =>
    integerSchema(setting.min, setting.max)
      .optional()
      .openapi({ type: 'integer', minimum: setting.min, maximum: setting.max, ...notesOf(setting) }),
  memory: (setting) =>
    z
      .string()
      .trim()
      .superRefine((text, context) => {
        const bytes = parseMemory(text);
        const wrong = (message: string, type: string) =>
          context.addIssue({ code: 'custom', message, params: { type } });
        if (bytes === undefined) wrong('must be a number with M, G, Mi or Gi, such as 512Mi', 'memory_invalid');
        else if (!isMemoryInRange(bytes)) {
          wrong(`must be from ${setting.min} to ${setting.max}`, 'memory_out_of_range');
        }
      })
      .optional()
      .openapi({ type: 'string', ...notesOf(setting) }),
  cpu: (setting) =>
    z
      .string()
      .trim()
      .regex(/^\d+(\.\d+)?$/, 'must be a number')
      .transform(Number)
      .refine(isCpuAllowed, { message: cpuProblem(setting), params: { type: 'cpu_not_allowed' } })
      .optional()
      .openapi({ type: 'number', ...notesOf(setting) }),
  boolean: (setting) => flagSchema.optional().openapi({ type: 'boolean', ...notesOf(setting) }),
  volumes: (setting) => z.string().openapi({ description: describeApiSetting(setting), example: '{}' }),
  schedule: (setting) =>
    z
      .string()
      .optional()
      .openapi({ description: describeApiSetting(setting) }),
  health: (setting) =>
    z
      .string()
      .optional()
      .openapi({ description: describeApiSetting(setting), example: '{"path":"/healthz"}' }),
});

function notesOf(setting: Setting) {
  return { default: setting.default, description: describeApiSetting(setting) };
}

function cpuProblem({ min, max, steps }: { min: number; max: number; steps: readonly number[] }): string {
  return `must be from ${min} to ${max}, or ${steps.slice(0, -1).join(', ')} or ${steps.at(-1)}`;
}

/** The text fields of the deploy form, as sent. Every value is a string. Source: docs/contract/control-plane.md §2. */
export const deployFormSchema = z.object({
  function_name: z.string().openapi({ example: 'my-agent' }),
  source_object: z.string().optional().openapi({ description: '<volume>/<path> of an archive in a volume' }),
  ...formSchemas,
  timezone: z.string().optional().openapi({ description: 'IANA zone of a bare cron string' }),
  tag: z.string().optional().openapi({ description: 'A tag for the new revision, with an address of its own' }),
  no_traffic: flagSchema
    .optional()
    .openapi({ type: 'boolean', description: 'Start and check the revision, and send it no traffic' }),
  canary: integerSchema(1, 99)
    .optional()
    .openapi({ type: 'integer', description: 'Percentage of the traffic that the revision gets while it is watched' }),
  canary_for: integerSchema(CANARY_SECONDS.min, CANARY_SECONDS.max).optional().openapi({
    type: 'integer',
    default: CANARY_SECONDS.default,
    description: 'Seconds after which a canary that does well gets all traffic',
  }),
});

/**
 * The validated settings of a deploy, which are all settings of its revision. `memory` is as sent, e.g. `1Gi`; `cpu` is the
 * raised value.
 */
export interface DeploySettings extends ValueSettings {
  readonly name: string;
  readonly memoryBytes: number;
  /** The requested CPU when it was raised, else null. */
  readonly cpuRaisedFrom: number | null;
  readonly volumes: readonly VolumeMount[];
  readonly schedule: Schedule | null;
  /** Without a health check, an instance is ready when its port accepts connections. */
  readonly health?: HealthCheck;
}

/** The source of a deploy: the uploaded archive, or `<volume>/<path>` of an object in a volume. */
export type DeploySource = { readonly kind: 'archive' } | { readonly kind: 'object'; readonly object: string };

/** The result of {@link parseDeployForm}: the settings and the source, or all issues found. */
export type DeployFormResult =
  | { readonly settings: DeploySettings; readonly source: DeploySource; readonly traffic: DeployTraffic }
  | { readonly issues: readonly ValidationIssue[] };

/** The input of {@link parseDeployForm}. */
export interface DeployFormInput {
  /** Text fields as sent. */
  readonly fields: Readonly<Record<string, string>>;
  /** True when the form has a non-empty archive. */
  readonly hasArchive: boolean;
  /** Names that the operator reserves, in addition to the platform's. */
  readonly reservedNames?: readonly string[];
}

/**
 * Validates a deploy form. Returns the settings and the source, or all issues found.
 * An empty string counts as an absent field, except for `volumes` and `function_name`: HTML forms and several clients
 * always send all fields.
 */
export function parseDeployForm({ fields, hasArchive, reservedNames = [] }: DeployFormInput): DeployFormResult {
  const given = Object.fromEntries(
    Object.entries(fields).filter(([key, text]) => text !== '' || key === 'volumes' || key === 'function_name'),
  );
  const parsed = deployFormSchema.safeParse(given);
  const issues = parsed.success ? [] : toValidationIssues('body', parsed.error.issues, given);
  const fault = (field: string, msg: string, type: string) => issues.push({ loc: ['body', field], msg, type });

  const nameProblem =
    given['function_name'] === undefined ? undefined : deploymentNameProblem(given['function_name'], reservedNames);
  if (nameProblem) fault('function_name', nameProblem, 'name_invalid');

  const { tag, canary, canary_for: canaryFor } = given;
  const tagFault = tag === undefined ? undefined : tagProblem(tag, given['function_name'] ?? '');
  if (tagFault) fault('tag', tagFault, 'tag_invalid');
  const isWithout = /^\s*(true|1)\s*$/i.test(given['no_traffic'] ?? '');
  if (isWithout && canary !== undefined)
    fault('canary', 'send either canary or no_traffic, not both', 'traffic_contradiction');
  if (canaryFor !== undefined && canary === undefined) fault('canary_for', 'only with canary', 'traffic_contradiction');

  const object = given['source_object'];
  if (hasArchive && object !== undefined) {
    fault('source_object', 'send either source_archive.0 or source_object, not both', 'source_contradiction');
  } else if (!hasArchive && object === undefined) {
    fault('source_archive.0', 'an archive (source_archive.0) or a source_object is required', 'missing');
  } else if (object !== undefined && !isSourceObject(object)) {
    fault('source_object', 'must be <volume>/<path> of an archive in one of your volumes', 'source_object_invalid');
  }

  const volumes = given['volumes'] === undefined ? undefined : parseVolumeMounts(given['volumes']);
  if (volumes && 'issues' in volumes) issues.push(...volumes.issues);
  const schedule = parseSchedule(given['schedule'] ?? '', given['timezone'] ?? '');
  if ('issues' in schedule) issues.push(...schedule.issues);

  const health = parseHealthCheck(given['health'] ?? '');
  if ('issues' in health) issues.push(...health.issues);

  const memory = given['memory']?.trim() ?? DEPLOY_DEFAULTS.memory;
  const memoryBytes = parseMemory(memory);
  const cpu = given['cpu'] === undefined ? DEPLOY_DEFAULTS.cpu : Number(given['cpu']);
  if (memoryBytes !== undefined && isMemoryInRange(memoryBytes) && isCpuAllowed(cpu)) {
    const least = minimumMemoryBytes(cpu);
    if (memoryBytes < least) {
      fault('memory', `cpu ${cpu} needs at least ${least / 2 ** 30}Gi of memory`, 'memory_too_small_for_cpu');
    }
  }

  const most = Number(given['max_instances'] ?? DEPLOY_DEFAULTS.max_instances);
  const least = Number(given['min_instances'] ?? DEPLOY_DEFAULTS.min_instances);
  if (most > 0 && least > most) {
    fault('min_instances', `must be at most max_instances, which is ${most}`, 'min_instances_above_max');
  }

  if (
    issues.length > 0 ||
    !parsed.success ||
    memoryBytes === undefined ||
    !volumes ||
    'issues' in volumes ||
    'issues' in schedule ||
    'issues' in health
  ) {
    return { issues };
  }
  const raised = raisedCpu(cpu, memoryBytes);
  const { data } = parsed;
  return {
    source: object === undefined ? { kind: 'archive' } : { kind: 'object', object },
    traffic: {
      tag: data.tag ?? null,
      percent: data.no_traffic ? 0 : (data.canary ?? 100),
      canarySeconds: data.canary === undefined ? null : (data.canary_for ?? CANARY_SECONDS.default),
    },
    settings: {
      name: data.function_name,
      ...toValueSettings((field) => data[field] ?? DEPLOY_DEFAULTS[field]),
      cpu: raised,
      memoryBytes,
      cpuRaisedFrom: raised === cpu ? null : cpu,
      volumes: volumes.mounts,
      schedule: schedule.schedule,
      ...(health.health === null ? {} : { health: health.health }),
    },
  };
}

function isSourceObject(text: string): boolean {
  const [volume, ...path] = text.replace(/^\//, '').split('/');
  return (
    VOLUME_NAME_PATTERN.test(volume ?? '') &&
    path.length > 0 &&
    !path.some((part) => part === '' || part === '.' || part === '..' || part.includes('\0'))
  );
}
