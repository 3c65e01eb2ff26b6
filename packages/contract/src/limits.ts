/**
 * The limits of the control plane's contract, except those of a deployment's settings, which are in settings-table.ts.
 * Source: docs/contract/control-plane.md §2 and §6 unless noted.
 */
export const LIMITS = {
  /** Maximum size of a deploy's archive, inclusive: 100 MiB. */
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
  /** Rows of an SQL result. Source: docs/contract/control-plane.md §7. */
  sqlRows: 100_000,
  /** Characters of an SQL query. */
  sqlQueryCharacters: 100_000,
  /** Bytes of all environment values and keys of one deployment. */
  environmentBytes: 32_768,
  /** Bytes of an object's path in UTF-8. Source: docs/contract/control-plane.md §5. */
  objectPathBytes: 1_024,
  /** Bytes of a JSON request body. */
  jsonBodyBytes: 1_048_576,
  /** Bytes of one text field of a form. */
  formFieldBytes: 262_144,
  /** The time that a deploy waits until its port answers. */
  startTimeoutMs: 240_000,
  /** The interval of empty lines on a deploy stream without events. */
  streamHeartbeatMs: 15_000,
  /**
   * The timeout of a `POST /cron`, which replaces the service's request timeout. Source: docs/contract/control-plane.md §4.
   */
  scheduleCallMs: 1_800_000,
  /** Attempts of a scheduled run. Source: docs/contract/control-plane.md §4. */
  scheduleAttempts: 5,
  /** Runs of a schedule on one page. */
  scheduleRunsPageMax: 200,
  /** Commands in services that run at once for an account, on each server. Source: docs/contract/control-plane.md §4, "Commands in a service". */
  execSessions: 10,
  /** Connections to ports of instances at once for an account, on each server. Source: docs/contract/control-plane.md §4, "Ports of an instance". */
  tcpConnections: 50,
  /** Time without input and output after which a command is ended. */
  execIdleMs: 1_800_000,
  /** Characters of a command with all of its arguments. */
  execCommandCharacters: 65_536,
  /** Bytes of one message of a command's connection. */
  execMessageBytes: 65_536,
  /** The time from SIGTERM to SIGKILL. */
  stopGraceMs: 10_000,
} as const;

/** The defaults of a health check, in seconds. */
export const HEALTH_DEFAULTS = { interval: 10, timeout: 5 } as const;

/** The default port of the API. */
export const DEFAULT_PORT = 8787;

/** The default address of the server, for `npm start` and the CLI. */
export const DEFAULT_URL = `http://localhost:${DEFAULT_PORT}`;
