import { createError } from '@berth/contract/errors';
import type { BerthError } from '@berth/kit';
import type { InstanceExit } from '@berth/runtime';

/** Returns how an instance ended, as the end of a sentence: "exited with code 1". */
export function describeExit(exit: InstanceExit, memoryBytes: number): string {
  if (exit.isOutOfMemory) return `was killed for exceeding its ${Math.floor(memoryBytes / 2 ** 20)} MiB memory limit`;
  if (exit.reason !== undefined) return `was ended: ${exit.reason}`;
  if (exit.signal !== null) return `was killed by ${exit.signal}`;
  return `exited with code ${exit.exitCode ?? 'unknown'}`;
}

/** Returns the error of a program that ended before it was ready: `start_failed`, with `details.exit`. */
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
 * Returns the error of a program that ran until the start timeout without its port answering: `port_not_open` when it listens
 * elsewhere, else `start_timeout`.
 *
 * @param listening TCP ports that its processes listen on.
 * @param loopback the ports among them that only the program itself can connect to.
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

/** Returns the error of a program that listens but fails its checks: `start_timeout`. @param problem a sentence without a full stop. */
export function neverReady(problem: string, waitedMs: number): BerthError {
  return createError(
    'start_timeout',
    `The service was not ready within ${Math.round(waitedMs / 1000)} s of its start. ${problem}.`,
  );
}

/** Returns why its ports can't be reached, without a full stop; undefined when they can, or when it doesn't listen yet. */
export function describeWrongPort(
  listening: readonly number[],
  loopback: readonly number[],
  port: number,
): string | undefined {
  if (loopback.includes(port)) {
    return `The service listens on $PORT (${port}) of 127.0.0.1 only, which is not reachable: listen on 0.0.0.0`;
  }
  const elsewhere = listening.filter((other) => other !== port);
  return elsewhere.length > 0 && elsewhere.length === listening.length ? listensElsewhere(elsewhere, port) : undefined;
}

/** Returns "The service listens on 3000, not on $PORT (8080): …", without a full stop. */
export function listensElsewhere(elsewhere: readonly number[], port: number): string {
  return `The service listens on ${elsewhere.join(', ')}, not on $PORT (${port}): read the port from the PORT environment variable`;
}

/** Returns the error of a start that was canceled: `cancelled`. */
export function startCancelled(): BerthError {
  return createError('cancelled', 'The start was canceled.');
}

/** Returns the error of a start that got no capacity or start slot in time: `out_of_capacity`. */
export function noTurnInTime(waitedMs: number): BerthError {
  return createError('out_of_capacity', `The machine had no capacity for the service within ${waitedMs / 1000} s.`);
}
