import type { BerthError } from '@berth/kit';
import type { Instance } from '@berth/runtime';
import type { GatewayPolicy } from '../port/gateway-policy.ts';
import { describeWrongPort, neverListened } from './start-errors.ts';

/** From the start to the first look, and a bound on the pause between two looks. */
const FIRST_LOOK_MS = 250;
const LOOK_MS = 500;

/** Above this share of one CPU a program is taken to be still loading. */
const BUSY_RATIO = 0.2;

/** Handling of a program that listens where it can't be reached. */
export interface WrongPortHooks {
  /** Called once, at the first look that finds it. */
  onFound(message: string): void;
  /** Called once, when it is not waited for any longer. */
  onGivenUp(error: BerthError): void;
}

/**
 * Looks, between two probes of a starting instance's port, whether its program listens elsewhere. A program may open another port
 * first, for metrics say, and load for a while before it opens its own: the wait ends when it has listened elsewhere and been idle for
 * `wrongPortMs`, and in any case after `wrongPortMaxMs`. The returned function takes the time waited so far.
 */
export function watchForWrongPort(
  handle: Pick<Instance, 'port' | 'listeningPorts' | 'loopbackPorts' | 'stats'>,
  { wrongPortMs, wrongPortMaxMs }: Pick<GatewayPolicy, 'wrongPortMs' | 'wrongPortMaxMs'>,
  { onFound, onGivenUp }: WrongPortHooks,
): (waitedMs: number) => void {
  const { port } = handle;
  let nextLookMs = FIRST_LOOK_MS;
  let isLooking = false;
  let isGivenUp = false;
  let hasTold = false;
  let foundAtMs: number | undefined;
  let idleSinceMs = 0;
  let last = { atMs: 0, cpuMs: 0 };

  const judge = (ports: readonly number[], loopback: readonly number[], cpuMs: number, atMs: number) => {
    const isBusy = cpuMs - last.cpuMs > BUSY_RATIO * (atMs - last.atMs);
    last = { atMs, cpuMs };
    const wrong = describeWrongPort(ports, loopback, port);
    if (wrong === undefined) {
      foundAtMs = undefined;
      return;
    }
    if (!hasTold) onFound(wrong);
    hasTold = true;
    if (foundAtMs === undefined || isBusy) idleSinceMs = atMs;
    foundAtMs ??= atMs;
    if (atMs - idleSinceMs < wrongPortMs && atMs - foundAtMs < wrongPortMaxMs) return;
    isGivenUp = true;
    onGivenUp(neverListened(ports, port, atMs, loopback));
  };

  const look = async (waitedMs: number) => {
    isLooking = true;
    try {
      const [ports, loopback, { cpuMs }] = await Promise.all([
        handle.listeningPorts(),
        handle.loopbackPorts?.() ?? [],
        handle.stats(),
      ]);
      judge(ports, loopback, cpuMs, waitedMs);
    } catch {
      // It may be ending; whoever waits for its port sees that too.
    } finally {
      isLooking = false;
    }
  };

  return (waitedMs) => {
    if (isLooking || isGivenUp || waitedMs < nextLookMs) return;
    nextLookMs = waitedMs + LOOK_MS;
    void look(waitedMs);
  };
}
