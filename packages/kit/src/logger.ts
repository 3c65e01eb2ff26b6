/** Structured log of the platform itself, not of the services it runs. */
export interface Logger {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
  /** Returns a logger that adds `fields` to every line. */
  child(fields: LogFields): Logger;
}

/** Structured fields of a log line. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Returns a logger that drops everything. */
export function createSilentLogger(): Logger {
  const drop = () => {};
  const logger: Logger = { debug: drop, info: drop, warn: drop, error: drop, child: () => logger };
  return logger;
}
