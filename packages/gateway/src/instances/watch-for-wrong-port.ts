import type { BerthError } from '@berth/kit';
import type { Instance } from '@berth/runtime';
import { describeWrongPort, neverListened } from './start-errors.ts';

/** A program that is waited for is looked at this often. */
const CHECK_MS = 5_000;

/** What is done about a program that listens where it can't be reached. */
export interface WrongPortHooks {
  /** It does. Said once. */
  onFound(message: string): void;
  /** It has for as long as it is borne with. Said once. */
  onGivenUp(error: BerthError): void;
}

/**
 * Looks, between two probes of a starting instance's port, whether its program listens elsewhere: one that ignores `PORT` need not
 * be waited for to the end. One that opens another port first, for metrics say, has `giveUpMs` from then on.
 * The returned function takes the time waited so far.
 */
export function watchForWrongPort(
  handle: Pick<Instance, 'port' | 'listeningPorts' | 'loopbackPorts'>,
  giveUpMs: number,
  { onFound, onGivenUp }: WrongPortHooks,
): (waitedMs: number) => void {
  const { port } = handle;
  let nextCheckMs = CHECK_MS;
  let foundAtMs: number | undefined;
  let isGivenUp = false;
  const look = (ports: readonly number[], loopback: readonly number[], waitedMs: number) => {
    if (isGivenUp) return;
    const wrong = describeWrongPort(ports, loopback, port);
    if (wrong === undefined) {
      foundAtMs = undefined;
      return;
    }
    if (foundAtMs === undefined) {
      foundAtMs = waitedMs;
      onFound(wrong);
    } else if (waitedMs - foundAtMs >= giveUpMs) {
      isGivenUp = true;
      onGivenUp(neverListened(ports, port, waitedMs, loopback));
    }
  };
  return (waitedMs) => {
    if (waitedMs < nextCheckMs) return;
    nextCheckMs = waitedMs + CHECK_MS;
    Promise.all([handle.listeningPorts(), handle.loopbackPorts?.() ?? []]).then(
      ([ports, loopback]) => look(ports, loopback, waitedMs),
      () => {},
    );
  };
}
