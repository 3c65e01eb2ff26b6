import { createError } from '@berth/contract/errors';
import type { BerthError } from '@berth/kit';
import type { InstanceExit } from '@berth/runtime';

/** How an instance ended, as the end of a sentence: "exited with code 1". */
export function describeExit(exit: InstanceExit, memoryBytes: number): string {
  if (exit.isOutOfMemory) return `was ended for using more than its ${Math.floor(memoryBytes / 2 ** 20)} MiB of memory`;
  if (exit.signal !== null) return `was ended by ${exit.signal}`;
  return `exited with code ${exit.exitCode ?? 'unknown'}`;
}

/** `start_failed`: it ended before it was ready. `details.exit` says how. */
export function exitedBeforeReady(
  exit: InstanceExit,
  port: number,
  memoryBytes: number,
  hasListened: boolean,
): BerthError {
  return createError(
    'start_failed',
    `The service ${describeExit(exit, memoryBytes)} before it ${hasListened ? 'was ready to answer' : 'listened'} on its port (${port}).`,
    {
      details: { exit },
    },
  );
}

/**
 * It ran for the whole time and its port never answered: `port_not_open` when it listens elsewhere, else
 * `start_timeout`.
 *
 * @param listening the TCP ports its processes listen on.
 * @param loopback those of them that only itself can connect to.
 */
export function neverListened(
  listening: readonly number[],
  port: number,
  waitedMs: number,
  loopback: readonly number[] = [],
): BerthError {
  const wrong = describeWrongPort(listening, loopback, port);
  if (wrong !== undefined) return createError('port_not_open', `${wrong}.`);
  const where = listening.length > 0 ? 'its port does not accept connections' : 'it listens on no port';
  return createError(
    'start_timeout',
    `The service ran for ${Math.round(waitedMs / 1000)} s, but ${where}: it must listen on $PORT (${port}).`,
  );
}

/** `start_timeout`: it listens and did not pass its checks. @param problem a sentence without a full stop. */
export function neverReady(problem: string, waitedMs: number): BerthError {
  return createError(
    'start_timeout',
    `The service was not ready within ${Math.round(waitedMs / 1000)} s of its start. ${problem}.`,
  );
}

/** What is wrong with where it listens, without a full stop; undefined when nothing is, or when it listens nowhere yet. */
export function describeWrongPort(
  listening: readonly number[],
  loopback: readonly number[],
  port: number,
): string | undefined {
  if (loopback.includes(port)) {
    return `The service listens on $PORT (${port}) of 127.0.0.1 only, where nobody else reaches it: let it listen on 0.0.0.0`;
  }
  const elsewhere = listening.filter((other) => other !== port);
  return elsewhere.length > 0 && elsewhere.length === listening.length ? listensElsewhere(elsewhere, port) : undefined;
}

/** "The service listens on 3000, not on $PORT (8080): …", without a full stop. */
export function listensElsewhere(elsewhere: readonly number[], port: number): string {
  return `The service listens on ${elsewhere.join(', ')}, not on $PORT (${port}): read the port from the PORT environment variable`;
}

/** `cancelled`: nobody waits for this start any more. */
export function startCancelled(): BerthError {
  return createError('cancelled', 'The start was cancelled.');
}

/** `out_of_capacity`: neither room nor a turn came in time. */
export function noTurnInTime(waitedMs: number): BerthError {
  return createError('out_of_capacity', `The machine had no room for the service within ${waitedMs / 1000} s.`);
}
