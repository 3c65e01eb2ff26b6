import type { LateApplication } from '@berth/runtime';
import type { Plan } from '../../plan/plan.ts';

/** Servers whose main process listens before a worker has imported the application. */
const ALWAYS = /\b(gunicorn|hypercorn|granian)\b/;

/** Uvicorn does so with several workers, set by `--workers` or `WEB_CONCURRENCY`. */
const UVICORN = /\buvicorn\b/;
const UVICORN_WORKERS = /\buvicorn\b.*--workers[= ]+([2-9]|\d{2,})\b/;

/**
 * Reports whether a plan's server listens before it has loaded the application: always, with several workers, or
 * (undefined) never.
 */
export function findLateApplication({ kind, start }: Pick<Plan, 'kind' | 'start'>): LateApplication | undefined {
  if (start === null || (kind !== 'python' && kind !== 'custom')) return undefined;
  const line = start.argv.join(' ');
  if (ALWAYS.test(line) || UVICORN_WORKERS.test(line)) return 'always';
  return UVICORN.test(line) ? 'with_workers' : undefined;
}
