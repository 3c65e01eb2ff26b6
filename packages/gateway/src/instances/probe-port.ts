import { connect } from 'node:net';
import type { Clock } from '@berth/kit';
import type { Instance } from '@berth/runtime';
import type { GatewayPolicy } from '../port/gateway-policy.ts';

/** The address that an instance listens on, or will. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** Returns whether an address accepts connections now. Never rejects. */
export type PortProbe = (address: Address, timeoutMs: number) => Promise<boolean>;

/** Probes a port with a TCP connection, which is closed at once. */
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
 * Returns the pause before the next probe, in milliseconds: a twentieth of the time waited so far, within the policy's bounds (5 ms to
 * 1 s). So a start is noticed at most 5 % late.
 */
export function probePauseMs(waitedMs: number, policy: Pick<GatewayPolicy, 'probeMinMs' | 'probeMaxMs'>): number {
  return Math.min(policy.probeMaxMs, Math.max(policy.probeMinMs, waitedMs / 20));
}

/** Options of {@link waitForPort}. */
export interface PortWait {
  readonly instance: Pick<Instance, 'address' | 'isListening'>;
  readonly probe: PortProbe;
  /** The check that must pass once the port is open. */
  readonly readiness: { check(): Promise<boolean> };
  readonly clock: Clock;
  readonly policy: GatewayPolicy;
  readonly timeoutMs: number;
  /** Ends the wait, because the program exited or the start was canceled. */
  readonly signal: AbortSignal;
  /** Called between two probes with the time waited so far. */
  readonly onPause?: (waitedMs: number) => void;
}

/** Minimum pause between checks of a listening program, because each check costs the program work and log lines. */
const CHECK_PAUSE_MS = 250;

/** Waits until the port is open and the instance ready (`ready`), the signal aborts (`aborted`) or the timeout expires (`timeout`). */
export async function waitForPort(wait: PortWait): Promise<'ready' | 'aborted' | 'timeout'> {
  const { instance, clock, policy, signal } = wait;
  const startedAtMs = clock.monotonicMs();
  const aborted = new Promise<false>((resolve) =>
    signal.addEventListener('abort', () => resolve(false), { once: true }),
  );
  for (;;) {
    if (signal.aborted) return 'aborted';
    // A host that drops packets must not delay the abort.
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

/**
 * Returns whether this instance listens. On a shared network another tenant's program may accept the connection, so the runtime is asked
 * too.
 */
async function isListening(
  { address, isListening }: PortWait['instance'],
  probe: PortProbe,
  timeoutMs: number,
): Promise<boolean> {
  if (!(await probe(address, timeoutMs))) return false;
  return isListening === undefined || isListening().catch(() => false);
}
