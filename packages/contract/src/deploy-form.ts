import { z } from '@hono/zod-openapi';
import { deploymentNameProblem } from './deployment-name.ts';
import { type HealthCheck, parseHealthCheck } from './health-check.ts';
import { DEPLOY_DEFAULTS, LIMITS } from './limits.ts';
import { isCpuAllowed, isMemoryInRange, minimumMemoryBytes, parseMemory, raisedCpu } from './resources.ts';
import { parseSchedule, type Schedule } from './schedule.ts';
import { toValidationIssues, type ValidationIssue } from './validation-issue.ts';
import { parseVolumeMounts, type VolumeMount } from './volume-mounts.ts';

const integerText = (min: number, max: number, fallback: number) =>
  z
    .string()
    .trim()
    .regex(/^[+-]?\d+$/, 'must be an integer')
    .transform(Number)
    .pipe(z.number().min(min).max(max))
    .optional()
    .openapi({ type: 'integer', minimum: min, maximum: max, default: fallback });

const booleanText = z
  .string()
  .trim()
  .toLowerCase()
  .pipe(z.enum(['true', 'false', '1', '0'], 'must be true, false, 1 or 0'))
  .transform((text) => text === 'true' || text === '1')
  .optional()
  .openapi({ type: 'boolean', default: false });

const memoryText = z
  .string()
  .trim()
  .superRefine((text, context) => {
    const bytes = parseMemory(text);
    const wrong = (message: string, type: string) => context.addIssue({ code: 'custom', message, params: { type } });
    if (bytes === undefined) wrong('must be a number with M, G, Mi or Gi, such as 512Mi', 'memory_invalid');
    else if (!isMemoryInRange(bytes)) wrong('must be from 128Mi to 32Gi', 'memory_out_of_range');
  })
  .optional()
  .openapi({ type: 'string', default: DEPLOY_DEFAULTS.memory });

const cpuText = z
  .string()
  .trim()
  .regex(/^\d+(\.\d+)?$/, 'must be a number')
  .transform(Number)
  .refine(isCpuAllowed, { message: 'must be from 0.08 to 1, or 2, 4, 6 or 8', params: { type: 'cpu_not_allowed' } })
  .optional()
  .openapi({ type: 'number', default: DEPLOY_DEFAULTS.cpu });

/** The text fields of the deploy form, as sent: every value is text. Source: docs/contract/control-plane.md §2. */
export const deployFormSchema = z.object({
  function_name: z.string().openapi({ example: 'my-agent' }),
  source_object: z.string().optional().openapi({ description: '<volume>/<path> of an archive in a volume' }),
  port: integerText(LIMITS.portMin, LIMITS.portMax, DEPLOY_DEFAULTS.port),
  memory: memoryText,
  cpu: cpuText,
  timeout: integerText(LIMITS.timeoutSecondsMin, LIMITS.timeoutSecondsMax, DEPLOY_DEFAULTS.timeout),
  concurrency: integerText(1, LIMITS.concurrencyMax, DEPLOY_DEFAULTS.concurrency),
  max_instances: integerText(0, LIMITS.maxInstancesMax, DEPLOY_DEFAULTS.max_instances),
  min_instances: integerText(0, LIMITS.maxInstancesMax, DEPLOY_DEFAULTS.min_instances).openapi({
    description: 'Instances kept running without requests; at most max_instances where that is not 0',
  }),
  session_affinity: booleanText,
  use_http2: booleanText,
  volumes: z.string().openapi({
    description: 'JSON object: mount path to volume; {} for none. 422 for paths that the system uses, such as /usr/bin',
    example: '{}',
  }),
  schedule: z.string().optional().openapi({ description: 'JSON {"cron","timezone"} or a bare cron string' }),
  timezone: z.string().optional().openapi({ description: 'IANA zone of a bare cron string' }),
  health: z.string().optional().openapi({
    description:
      'JSON {"path","interval","timeout"} of an HTTP health check, times in seconds, or its path alone; none by default',
    example: '{"path":"/healthz"}',
  }),
});

/** What a deploy sets, validated; the whole of a revision's settings. */
export interface DeploySettings {
  readonly name: string;
  readonly port: number;
  /** As sent, e.g. `1Gi`. */
  readonly memory: string;
  readonly memoryBytes: number;
  /** After the raise. */
  readonly cpu: number;
  /** As asked for, when it was raised. */
  readonly cpuRaisedFrom: number | null;
  readonly timeoutSeconds: number;
  readonly concurrency: number;
  /** 0: the platform decides. */
  readonly maxInstances: number;
  /** Kept running without requests; at most {@link maxInstances} where that is not 0. */
  readonly minInstances: number;
  readonly sessionAffinity: boolean;
  readonly useHttp2: boolean;
  readonly volumes: readonly VolumeMount[];
  readonly schedule: Schedule | null;
  /** Absent: an instance is ready when its port accepts connections. */
  readonly health?: HealthCheck;
}

/** Where the source of a deploy lies. */
export type DeploySource = { readonly kind: 'archive' } | { readonly kind: 'object'; readonly object: string };

export type DeployFormResult =
  | { readonly settings: DeploySettings; readonly source: DeploySource }
  | { readonly issues: readonly ValidationIssue[] };

export interface DeployFormInput {
  /** Text fields as sent. */
  readonly fields: Readonly<Record<string, string>>;
  /** Whether a non-empty archive part came. */
  readonly hasArchive: boolean;
  readonly reservedNames?: readonly string[];
}

/**
 * Checks a whole deploy form and lists every fault of it.
 * An empty text is the same as an absent field for everything but `volumes` and `function_name`: HTML forms and several
 * clients always send all fields.
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
    settings: {
      name: data.function_name,
      port: data.port ?? DEPLOY_DEFAULTS.port,
      memory,
      memoryBytes,
      cpu: raised,
      cpuRaisedFrom: raised === cpu ? null : cpu,
      timeoutSeconds: data.timeout ?? DEPLOY_DEFAULTS.timeout,
      concurrency: data.concurrency ?? DEPLOY_DEFAULTS.concurrency,
      maxInstances: data.max_instances ?? DEPLOY_DEFAULTS.max_instances,
      minInstances: data.min_instances ?? DEPLOY_DEFAULTS.min_instances,
      sessionAffinity: data.session_affinity ?? DEPLOY_DEFAULTS.session_affinity,
      useHttp2: data.use_http2 ?? DEPLOY_DEFAULTS.use_http2,
      volumes: volumes.mounts,
      schedule: schedule.schedule,
      ...(health.health === null ? {} : { health: health.health }),
    },
  };
}

function isSourceObject(text: string): boolean {
  const [volume, ...path] = text.replace(/^\//, '').split('/');
  return (
    /^[a-z0-9][a-z0-9-_]{0,62}$/.test(volume ?? '') &&
    path.length > 0 &&
    !path.some((part) => part === '' || part === '.' || part === '..' || part.includes('\0'))
  );
}
