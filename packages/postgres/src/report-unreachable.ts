import { BerthError } from '@berth/kit';
import type { ClientBase } from 'pg';

/**
 * SQLSTATEs, or their classes, of a server that can't be used now: 08 connection exception, 53 insufficient resources,
 * 57P server shutdown, 57014 statement timeout, 25006 a standby after a failover, 40 deadlock and serialization
 * failure. Source: the PostgreSQL manual, appendix A.
 */
const PASSING = /^(?:08|53|57P|57014|25006|40)/;

/** SQLSTATE insufficient_privilege. */
const INSUFFICIENT_PRIVILEGE = '42501';

/** The shape of a SQLSTATE. Each has a digit, which names of system errors such as EPIPE lack. */
const SQLSTATE = /^(?=.*\d)[0-9A-Z]{5}$/;

/** A query that takes longer has lost its connection: the server ends statements after 30 s. */
const STALLED_MS = 35_000;
const STEPS = 35;

/**
 * Makes a connection's queries throw `unavailable` when the server can't be reached or used, and closes the connection
 * when a query is never answered, as on a network that drops packets.
 */
export function reportUnreachable(
  client: Pick<ClientBase, 'query'> & { end?(): Promise<void> },
  message: string,
  stalledMs = STALLED_MS,
): void {
  const query = client.query.bind(client) as (...values: unknown[]) => unknown;
  const guarded = (...values: unknown[]): unknown => {
    const result = query(...values);
    if (!(result instanceof Promise)) return result;
    const watch = watchStall(stalledMs, () => void client.end?.().catch(() => {}));
    return result.finally(watch.stop).catch((error: unknown) => {
      throw isPassing(error) ? unreachable(error, message) : error;
    });
  };
  client.query = guarded as typeof client.query;
}

const made = new WeakSet<object>();

/** Returns the error for a database that can't be reached or used now. */
export function unreachable(cause: unknown, message: string): BerthError {
  const error = new BerthError({ code: 'unavailable', status: 503, isRetryable: true, message, cause });
  made.add(error);
  return error;
}

/** Reports whether an error comes from {@link unreachable}. */
export function isUnreachable(error: unknown): error is BerthError {
  return typeof error === 'object' && error !== null && made.has(error);
}

/**
 * Returns the error for a database that can't be opened, with the reason and without the password.
 * @param forbiddenHint what helps when the user lacks a privilege.
 */
export function unusable(error: unknown, forbiddenHint = ''): BerthError {
  // The driver's error says more than ours, which has it as its cause. A host of several addresses has an error for each.
  const cause = BerthError.is(error) && error.cause ? error.cause : error;
  const [reason = cause] = cause instanceof AggregateError ? cause.errors : [];
  const isForbidden = (cause as { readonly code?: unknown }).code === INSUFFICIENT_PRIVILEGE;
  const hint = isForbidden && forbiddenHint ? ` ${forbiddenHint}` : '';
  const message = `The Postgres database can't be used. ${(reason as Error).message}.${hint}`;
  return new BerthError({ code: 'unavailable', status: 503, message, cause: error });
}

/** Reports whether the same statement may succeed later. Errors of the driver without a SQLSTATE are of its connection. */
function isPassing(error: unknown): boolean {
  if (BerthError.is(error) || error instanceof TypeError || error instanceof RangeError) return false;
  const code = (error as { readonly code?: unknown } | null)?.code;
  return typeof code === 'string' && SQLSTATE.test(code) ? PASSING.test(code) : true;
}

/**
 * Calls `onStall` after `stalledMs`. The time is counted in steps, so that the time for which a tool blocks the event loop,
 * while the answer waits to be read, counts as one of them.
 */
function watchStall(stalledMs: number, onStall: () => void) {
  let steps = 0;
  const timer = setInterval(() => {
    if (++steps < STEPS) return;
    clearInterval(timer);
    onStall();
  }, stalledMs / STEPS);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}
