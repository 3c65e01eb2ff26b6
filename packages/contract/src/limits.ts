/**
 * The bounds of the control plane's contract, except those of a deployment's settings, which are in settings-table.ts.
 * Source: docs/contract/control-plane.md §2 and §6 unless said.
 */
export const LIMITS = {
  /** 100 MiB; the archive of a deploy. Exactly this many bytes still pass. */
  archiveBytes: 104_857_600,
  /** Characters of a health check's path. */
  healthPathCharacters: 1_024,
  healthIntervalSecondsMin: 1,
  healthIntervalSecondsMax: 300,
  healthTimeoutSecondsMin: 1,
  healthTimeoutSecondsMax: 60,
  logsLimitMin: 1,
  logsLimitMax: 1_000,
  /** Characters of a log filter. */
  logsQueryCharacters: 20_000,
  /** Rows of an SQL answer. Source: docs/contract/control-plane.md §7. */
  sqlRows: 100_000,
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

/** Port of the API where the operator sets no other. */
export const DEFAULT_PORT = 8787;

/** Where `npm start` listens, and where the command line looks when it is told of no server. */
export const DEFAULT_URL = `http://localhost:${DEFAULT_PORT}`;
