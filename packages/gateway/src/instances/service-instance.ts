import type { InstanceId, Timer } from '@berth/kit';
import type { Instance } from '@berth/runtime';
import type { InstanceState, StartReason, StopReason } from '../port/gateway.ts';
import type { Upstream } from '../port/upstream.ts';
import { BillableTime } from './billable-time.ts';
import type { Reservation } from './host.ts';
import type { Readiness } from './readiness.ts';
import type { ServingInstance, Tunnel } from './serving-instance.ts';

/** Report of an instance about its work since its last request. */
export interface WorkRecord {
  /** `none`: no answer yet; `done`: it has no work now; `absent`: it doesn't tell, or may be kept no longer. */
  answer: 'none' | 'busy' | 'done' | 'absent';
  /** When it may be asked again; a `done` is out of date then. Monotonic. */
  askAtMs: number;
  /** Since when it gave no answer in time; null while it does. */
  silentSinceMs: number | null;
  /** Since when it is busy; null when it isn't. */
  busySinceMs: number | null;
  /** The question under way. */
  question: Promise<void> | null;
}

/** The gateway's record of an instance. Its pool and its lifecycle change it; everything else only reads it. */
export class ServiceInstance implements ServingInstance {
  readonly id: InstanceId;
  readonly reason: StartReason;
  readonly billable = new BillableTime();
  readonly tunnels = new Set<Tunnel>();
  readonly affinityKey: string;

  state: InstanceState = 'starting';
  /** Aborts the wait under way: for capacity, for a start slot, or for the port. */
  waitAbort = new AbortController();
  /** n: requests that it serves now. */
  inFlight = 0;
  /** Times of the steps of its start, monotonic; null before a step is reached. */
  readonly requestedAtMs: number;
  /** When it had capacity and a start slot. */
  scheduledAtMs: number | null = null;
  spawnedAtMs: number | null = null;
  readyAtMs: number | null = null;
  /** When it was last resumed. */
  resumedAtMs: number | null = null;
  /** When the last request that returned its slot had ended. */
  usedUntilMs = 0;
  /** Whether it is one of its revision's `minInstances`: never stopped or suspended for idleness, and always billable. */
  isKept = false;
  /** When its last request, or its last work without a request, ended. */
  idleSinceMs = 0;
  /** The number of holds on it; see `GatewayControl.hold`. */
  holds = 0;
  /** Last report about work without a request; null when it was not asked since its last request. */
  work: WorkRecord | null = null;
  /** Draining: it may finish work without a request before it is stopped. */
  mayFinishWork = false;
  /** The last measurement: the CPU time since its start, CPU in thousandths of a core since the measurement before, and memory. */
  measured: {
    readonly atMs: number;
    readonly cpuMs: number;
    readonly cpuMillis: number;
    readonly memoryBytes: number;
  } | null = null;
  /** The runtime's instance; set once its program runs. */
  handle: Instance | null = null;
  /** The readiness checks; set once its program runs. */
  readiness: Readiness | null = null;
  /** The connections to it; set once it is ready. */
  upstream: Upstream | null = null;
  reservation: Reservation | null = null;
  /** Why it is being stopped; null when it isn't. */
  stopReason: StopReason | null = null;
  /** Whether another process adopts it, before this one has finished adopting it. */
  isLeft = false;
  /** Whether it is being stopped because its port no longer answers: its end counts as a crash. */
  isBroken = false;
  /** The timer of its next health check. */
  healthTimer: Timer | null = null;
  /** The timers of its drain deadlines. */
  readonly timers: Timer[] = [];

  constructor(id: InstanceId, reason: StartReason, affinityKey: string, nowMs: number) {
    this.id = id;
    this.reason = reason;
    this.affinityKey = affinityKey;
    this.requestedAtMs = nowMs;
  }

  /** Whether it is kept because it says that it has work without a request. */
  get isBusy(): boolean {
    return this.work !== null && this.work.busySinceMs !== null;
  }

  /** Starts or stops billing: a ready or draining instance is billable while it serves, is kept, held or busy. */
  settleBilling(nowMs: number): void {
    if (this.inFlight > 0 || this.isKept || this.holds > 0 || this.isBusy) this.billable.start(nowMs);
    else this.billable.stop(nowMs);
  }

  /** Aborts all its requests and tunnels; their clients get an error. */
  breakOff(): void {
    this.upstream?.destroy();
    for (const tunnel of [...this.tunnels]) tunnel.destroy();
  }
}
