/** Every bound of the control plane's contract, in one place. Source: docs/contract/control-plane.md §2 and §6 unless said. */
export const LIMITS = {
  /** 100 MiB; the archive of a deploy. Exactly this many bytes still pass. */
  archiveBytes: 104_857_600,
  portMin: 1,
  portMax: 65_535,
  timeoutSecondsMin: 1,
  timeoutSecondsMax: 3_600,
  concurrencyMin: 1,
  concurrencyMax: 1_000,
  maxInstancesMax: 1_000,
  /** Characters of a health check's path. */
  healthPathCharacters: 1_024,
  healthIntervalSecondsMin: 1,
  healthIntervalSecondsMax: 300,
  healthTimeoutSecondsMin: 1,
  healthTimeoutSecondsMax: 60,
  memoryBytesMin: 128 * 2 ** 20,
  memoryBytesMax: 32 * 2 ** 30,
  logsLimitMin: 1,
  logsLimitMax: 1_000,
  /** Characters of a log filter. */
  logsQueryCharacters: 20_000,
  /** Characters of an SQL query. */
  sqlQueryCharacters: 100_000,
  /** Bytes of all environment values and keys of one deployment. */
  environmentBytes: 32_768,
  /** Bytes of an object's path in UTF-8. Source: docs/contract/control-plane.md §5. */
  objectPathBytes: 1_024,
  /** Bytes of a JSON request body; none of them comes near it. */
  jsonBodyBytes: 1_048_576,
  /** Bytes of one text field of a form. */
  formFieldBytes: 262_144,
  /** A deploy waits this long for its port to answer. */
  startTimeoutMs: 240_000,
  /** A silent deploy stream says an empty line this often. */
  streamHeartbeatMs: 15_000,
  /** One `POST /cron` may take this long, whatever the timeout of the service is. Source: docs/contract/control-plane.md §4. */
  scheduleCallMs: 1_800_000,
  /** Tries of one fire of a schedule. Source: docs/contract/control-plane.md §4. */
  scheduleAttempts: 5,
  /** Runs of a schedule on one page. */
  scheduleRunsPageMax: 200,
  /** SIGTERM to SIGKILL. */
  stopGraceMs: 10_000,
} as const;

/** Values of a health check's absent fields, in seconds. */
export const HEALTH_DEFAULTS = { interval: 10, timeout: 5 } as const;

/** Values of a deploy form's absent fields. Source: docs/contract/control-plane.md §2. */
export const DEPLOY_DEFAULTS = {
  port: 8080,
  memory: '1Gi',
  cpu: 1,
  timeout: 600,
  concurrency: 80,
  max_instances: 0,
  min_instances: 0,
  session_affinity: false,
  use_http2: false,
} as const;
