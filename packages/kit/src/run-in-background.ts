import type { Logger } from './logger.ts';

/**
 * Lets a promise run without waiting for it. A failure is logged under `name`; it is never swallowed and never fatal.
 */
export function runInBackground(name: string, work: Promise<unknown>, logger: Logger): void {
  work.catch((error: unknown) => logger.error({ task: name, error: describeError(error) }, 'background task failed'));
}

/** Formats an error for the log: the stack and the stacks of its causes. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? '' : `\ncaused by: ${describeError(error.cause)}`;
  return (error.stack ?? error.message) + cause;
}
