import type { InstanceId, Timer } from '@berth/kit';
import type { Instance } from '@berth/runtime';
import type { StartReason, StopReason } from '../port/gateway.ts';
import type { InstanceState } from '../port/instance-state.ts';
import type { Upstream } from '../port/upstream.ts';
import { BillableTime } from './billable-time.ts';
import type { Reservation } from './host.ts';
import type { Readiness } from './readiness.ts';
import type { ServingInstance, Tunnel } from './serving-instance.ts';

/** One instance as the gateway keeps it. Its pool and its lifecycle change it; all others read. */
export class ServiceInstance implements ServingInstance {
  readonly id: InstanceId;
  readonly reason: StartReason;
  readonly billable = new BillableTime();
  readonly tunnels = new Set<Tunnel>();
  readonly affinityKey: string;

  state: InstanceState = 'starting';
  /** Ends the wait that is under way: for room, for its turn, for its port. */
  waitAbort = new AbortController();
  /** n: requests it serves now. */
  inFlight = 0;
  /** Monotonic times of its steps; null until it is there. */
  readonly requestedAtMs: number;
  /** It had room and its turn. */
  scheduledAtMs: number | null = null;
  spawnedAtMs: number | null = null;
  readyAtMs: number | null = null;
  /** When it was last thawed. */
  resumedAtMs: number | null = null;
  /** When the last of its requests ended that has given its slot back. */
  usedUntilMs = 0;
  /** One of the `minInstances` of its revision: not stopped or suspended for idleness, and billable all the time. */
  isKept = false;
  /** When it last became empty. */
  idleSinceMs = 0;
  /** What it was last found to have used since its start, and when. */
  measured: { readonly atMs: number; readonly cpuMs: number } | null = null;
  /** Set once its program runs. */
  handle: Instance | null = null;
  /** Its checks; set once its program runs. */
  readiness: Readiness | null = null;
  /** Set once it was ready. */
  upstream: Upstream | null = null;
  reservation: Reservation | null = null;
  /** Why it is being stopped; null while it is not. */
  stopReason: StopReason | null = null;
  /** It is being stopped because its port does not answer any more: its end is a crash. */
  isBroken = false;
  /** To its next health check. */
  healthTimer: Timer | null = null;
  /** Deadlines of its drain. */
  readonly timers: Timer[] = [];

  constructor(id: InstanceId, reason: StartReason, affinityKey: string, nowMs: number) {
    this.id = id;
    this.reason = reason;
    this.affinityKey = affinityKey;
    this.requestedAtMs = nowMs;
  }

  /** Breaks off all that it serves; whoever it served is told. */
  breakOff(): void {
    this.upstream?.destroy();
    for (const tunnel of [...this.tunnels]) tunnel.destroy();
  }
}
