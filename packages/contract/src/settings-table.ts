/** The fields that settings of every kind have. In texts, `{min}`, `{max}` and `{steps}` stand for the setting's bounds. */
interface SettingTexts {
  /** The property of `DeploySettings` that holds the value. */
  readonly property: string;
  /** The description in the JSON Schema of `berth.json`, the API reference and docs/guides/projects.md. */
  readonly description: string;
  /** Replaces {@link description} in the API reference. */
  readonly apiDescription?: string;
  /** Name of the CLI flag, without dashes. */
  readonly flag: string;
  /** The flag's text in `berth deploy --help`. The default is appended in parentheses. */
  readonly help: string;
  /** The help text of `--no-<flag>`; absent when there is no such flag. */
  readonly offHelp?: string;
  /** More flags that set a part of the setting, as Commander writes them. */
  readonly moreFlags?: readonly { readonly flags: string; readonly help: string }[];
  /** An example of the value in `berth.json`. */
  readonly example: unknown;
}

interface IntegerSetting extends SettingTexts {
  readonly kind: 'integer';
  readonly min: number;
  readonly max: number;
  readonly default: number;
  readonly unit?: 'seconds';
}

interface MemorySetting extends SettingTexts {
  readonly kind: 'memory';
  readonly min: string;
  readonly max: string;
  readonly default: string;
}

/** A number from `min` to `max`, or one of `steps`. */
interface CpuSetting extends SettingTexts {
  readonly kind: 'cpu';
  readonly min: number;
  readonly max: number;
  readonly steps: readonly number[];
  readonly default: number;
}

interface BooleanSetting extends SettingTexts {
  readonly kind: 'boolean';
  readonly default: boolean;
}

/** A setting with a structured value, whose format {@link kind} names. `null` stands for none. */
interface DeclarationSetting extends SettingTexts {
  readonly kind: 'volumes' | 'schedule' | 'health';
  readonly default: null;
}

/** One setting of a deployment. */
export type Setting = IntegerSetting | MemorySetting | CpuSetting | BooleanSetting | DeclarationSetting;

const INSTANCES_MAX = 1_000;

/**
 * The settings of a deployment by their field name on the wire and in `berth.json`, in display order. This table is the
 * source of the deploy form, `POST /v1/deployment/redeploy`, the list row, `berth.json` and its JSON Schema, the flags of
 * `berth deploy` and `berth redeploy`, the console's forms, and the table in docs/guides/projects.md. Changing a setting
 * needs no build of the service. To add a setting, add a row here, its texts in the console (`setting.<field>`), and the
 * code that applies it. Source: docs/contract/control-plane.md §2 and §9.
 */
export const SETTINGS = {
  port: {
    kind: 'integer',
    property: 'port',
    min: 1,
    max: 65_535,
    default: 8080,
    description: 'Port the service listens on, also given to it as PORT',
    flag: 'port',
    help: 'Port the service listens on, given to it as PORT',
    example: 3000,
  },
  memory: {
    kind: 'memory',
    property: 'memory',
    min: '128Mi',
    max: '32Gi',
    default: '1Gi',
    description: 'Memory of an instance, {min} to {max}',
    flag: 'memory',
    help: 'Memory of an instance, {min} to {max}',
    example: '512Mi',
  },
  cpu: {
    kind: 'cpu',
    property: 'cpu',
    min: 0.08,
    max: 1,
    steps: [2, 4, 6, 8],
    default: 1,
    description: 'CPUs of an instance: {min} to {max}, or {steps}',
    flag: 'cpu',
    help: 'CPUs of an instance: {min} to {max}, or {steps}',
    example: 0.5,
  },
  timeout: {
    kind: 'integer',
    property: 'timeoutSeconds',
    min: 1,
    max: 3_600,
    default: 600,
    unit: 'seconds',
    description: 'Request timeout in seconds',
    flag: 'timeout',
    help: 'Request timeout, {min} to {max}',
    example: 60,
  },
  concurrency: {
    kind: 'integer',
    property: 'concurrency',
    min: 1,
    max: 1_000,
    default: 80,
    description: 'Concurrent requests per instance',
    flag: 'concurrency',
    help: 'Concurrent requests per instance, {min} to {max}',
    example: 40,
  },
  max_instances: {
    kind: 'integer',
    property: 'maxInstances',
    min: 0,
    max: INSTANCES_MAX,
    default: 0,
    description: 'Maximum instances; 0 = no fixed limit',
    flag: 'max-instances',
    help: 'Maximum instances, up to {max}; 0 = no fixed limit',
    example: 5,
  },
  min_instances: {
    kind: 'integer',
    property: 'minInstances',
    min: 0,
    max: INSTANCES_MAX,
    default: 0,
    description: 'Instances kept running without requests',
    apiDescription: 'Instances kept running without requests; at most max_instances where that is not 0',
    flag: 'min-instances',
    help: 'Instances kept running without requests, billed all the time; at most --max-instances',
    example: 1,
  },
  session_affinity: {
    kind: 'boolean',
    property: 'sessionAffinity',
    default: false,
    description: 'Send a visitor to the same instance',
    flag: 'session-affinity',
    help: 'Send a visitor to the same instance',
    offHelp: 'Send a visitor to any instance',
    example: true,
  },
  use_http2: {
    kind: 'boolean',
    property: 'useHttp2',
    default: false,
    description: 'Speak HTTP/2 without TLS (h2c) to the service',
    flag: 'http2',
    help: 'Speak HTTP/2 without TLS (h2c) to the service',
    offHelp: 'Speak HTTP/1.1 to the service',
    example: true,
  },
  volumes: {
    kind: 'volumes',
    property: 'volumes',
    default: null,
    description:
      'All volumes of the service, as an object of mount path to volume name. A volume that you leave out is detached, and its data is kept. {} = no volumes',
    apiDescription:
      'JSON object: mount path to volume; {} for none. 422 for paths that the system uses, such as /usr/bin',
    flag: 'volume',
    help: 'Mount a volume, at a path such as /data or /mnt/files; may be given more than once',
    offHelp: 'Detach all volumes that --volume does not name',
    moreFlags: [
      {
        flags: '--volumes <json>',
        help: 'All volumes as JSON, mount path to name or {name, read_only, sub_path}; others are detached',
      },
    ],
    example: { '/data': 'shop-data' },
  },
  schedule: {
    kind: 'schedule',
    property: 'schedule',
    default: null,
    description: 'When POST /cron is called: five cron fields, or an object with a time zone. null = no schedule',
    apiDescription: 'JSON {"cron","timezone"} or a bare cron string',
    flag: 'schedule',
    help: 'Call POST /cron at these times, in five cron fields',
    offHelp: 'Remove the schedule',
    moreFlags: [{ flags: '--timezone <zone>', help: 'Time zone of the schedule, such as Europe/Berlin (UTC)' }],
    example: { cron: '0 3 * * *', timezone: 'Europe/Berlin' },
  },
  health: {
    kind: 'health',
    property: 'health',
    default: null,
    description:
      'HTTP check that an instance passes, with 200 to 399, before it takes requests and while it serves: a path, or an object with times in seconds. null = no check',
    apiDescription:
      'JSON {"path","interval","timeout"} of an HTTP health check, times in seconds, or its path alone; none by default',
    flag: 'health',
    help: 'Path that answers 200 to 399 where an instance can serve, or JSON {path, interval, timeout} (none)',
    offHelp: 'Remove the health check',
    example: '/healthz',
  },
} as const satisfies Readonly<Record<string, Setting>>;
