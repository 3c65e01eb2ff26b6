import { connect } from 'node:net';
import type { Clock } from '@berth/kit';
import type { Instance } from '@berth/runtime';
import type { GatewayPolicy } from '../port/gateway-policy.ts';

/** Where an instance listens, or will. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** Tells whether something accepts connections at an address now. Never rejects. */
export type PortProbe = (address: Address, timeoutMs: number) => Promise<boolean>;

/** Opens a TCP connection and closes it again. */
export const probeTcpPort: PortProbe = ({ host, port }, timeoutMs) =>
  new Promise((resolve) => {
    const socket = connect({ host, port, timeout: timeoutMs });
    const settle = (isOpen: boolean) => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.once('connect', () => settle(true));
    socket.once('timeout', () => settle(false));
    socket.once('error', () => settle(false));
  });

/**
 * The pause before the next probe: a twentieth of the time waited so far, so that a start is noticed at most 5 % late, within the
 * policy's bounds (5 ms, 1 s).
 */
export function probePauseMs(waitedMs: number, policy: Pick<GatewayPolicy, 'probeMinMs' | 'probeMaxMs'>): number {
  return Math.min(policy.probeMaxMs, Math.max(policy.probeMinMs, waitedMs / 20));
}

/** What a wait for a port needs. */
export interface PortWait {
  readonly instance: Pick<Instance, 'address' | 'isListening'>;
  readonly probe: PortProbe;
  /** What it has to do once its port is open. */
  readonly readiness: { check(): Promise<boolean> };
  readonly clock: Clock;
  readonly policy: GatewayPolicy;
  readonly timeoutMs: number;
  /** Ends the wait: the program exited, or nobody waits any more. */
  readonly signal: AbortSignal;
  /** Called between two probes with the time waited so far. */
  readonly onPause?: (waitedMs: number) => void;
}

/** A program that listens is asked no more often than this: its answers cost it work, and lines in its log. */
const CHECK_PAUSE_MS = 250;

/** Probes until the port is open and the instance ready (`ready`), the signal aborts (`aborted`) or the time is over (`timeout`). */
export async function waitForPort(wait: PortWait): Promise<'ready' | 'aborted' | 'timeout'> {
  const { instance, clock, policy, signal } = wait;
  const startedAtMs = clock.monotonicMs();
  const aborted = new Promise<false>((resolve) =>
    signal.addEventListener('abort', () => resolve(false), { once: true }),
  );
  for (;;) {
    if (signal.aborted) return 'aborted';
    // A host that swallows packets must not hold up the abort.
    const isOpen = await Promise.race([isListening(instance, wait.probe, policy.probeMaxMs), aborted]);
    if (isOpen && (await Promise.race([wait.readiness.check(), aborted])) && !signal.aborted) return 'ready';
    if (signal.aborted) return 'aborted';
    const waitedMs = clock.monotonicMs() - startedAtMs;
    if (waitedMs >= wait.timeoutMs) return 'timeout';
    wait.onPause?.(waitedMs);
    const leastMs = Math.max(probePauseMs(waitedMs, policy), isOpen ? CHECK_PAUSE_MS : 0);
    const pauseMs = Math.min(leastMs, wait.timeoutMs - waitedMs);
    await clock.sleep(pauseMs, signal).catch(() => {});
  }
}

/** On a network that programs share, whoever accepts the connection may be another tenant's. */
async function isListening(
  { address, isListening }: PortWait['instance'],
  probe: PortProbe,
  timeoutMs: number,
): Promise<boolean> {
  if (!(await probe(address, timeoutMs))) return false;
  return isListening === undefined || isListening().catch(() => false);
}
