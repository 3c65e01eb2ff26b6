import type { Logger } from './logger.ts';

/** The one way to let a promise go: its failure is logged under `name`, never swallowed and never fatal. */
export function runInBackground(name: string, work: Promise<unknown>, logger: Logger): void {
  work.catch((error: unknown) => logger.error({ task: name, error: describeError(error) }, 'background task failed'));
}

/** An error as loggable text: the stack with its causes. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? '' : `\ncaused by: ${describeError(error.cause)}`;
  return (error.stack ?? error.message) + cause;
}
