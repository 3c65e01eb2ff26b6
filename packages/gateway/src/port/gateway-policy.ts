import { LIMITS } from '@berth/contract/limits';

/**
 * The limits and durations that the gateway decides by. The defaults come from docs/architecture.md, "The gateway", unless a field names
 * another source. All times are milliseconds of the monotonic clock.
 */
export interface GatewayPolicy {
  /** Target utilization of an instance's slots. Above this ratio another instance is started. */
  readonly targetUseRatio: number;
  /** Up to this concurrency, requests go to the oldest instance with a free slot instead of the most loaded one. */
  readonly smallConcurrency: number;

  /** Queued requests allowed for each slot. */
  readonly queuePlacesPerSlot: number;
  /** Maximum length of one queue. */
  readonly queuePlacesMax: number;
  /** Maximum estimated memory of the requests of one queue: heads and buffered body bytes. */
  readonly queueBytesMax: number;
  /** Minimum time that a request may wait in the queue. */
  readonly queueWaitMinMs: number;
  /** A request may wait this many mean start times, if that is longer than {@link queueWaitMinMs}. */
  readonly queueWaitStartRatio: number;

  /** Assumed mean start time before the first start. */
  readonly startTimeSeedMs: number;
  /** Number of recent starts in the mean start time. */
  readonly startTimeSamples: number;
  readonly startTimeoutMs: number;
  /** Timeout of a release command; the same as a build's by default. */
  readonly releaseTimeoutMs: number;
  /** A start fails when the program has listened on other ports and been idle for this long: it does not read PORT. */
  readonly wrongPortMs: number;
  /** Like {@link wrongPortMs}, whether or not the program was idle. */
  readonly wrongPortMaxMs: number;
  readonly startBackoffBaseMs: number;
  readonly startBackoffMaxMs: number;
  /** A failure this long after the last successful start begins a new streak of failures. */
  readonly stableAfterMs: number;
  /** Maximum time that a start counts towards the machine's simultaneous starts, so that hung starts do not block others. */
  readonly startSlotHoldMs: number;
  /** Minimum pause between port probes. Half of it is added to every cold start on average; a refused probe costs about 0.1 ms. */
  readonly probeMinMs: number;
  readonly probeMaxMs: number;
  /** Time in which an instance that refuses connections or is unhealthy must become ready again. */
  readonly unreadyMaxMs: number;
  /** Consecutive failed health checks after which an instance is unhealthy. Source: failureThreshold of Kubernetes. */
  readonly unhealthyAfter: number;

  readonly tickMs: number;
  readonly stableWindowMs: number;
  readonly panicWindowMs: number;
  /** Panic mode begins when the load of the short window needs this many times the ready instances. */
  readonly panicRatio: number;
  readonly panicHoldMs: number;
  /** Fewer instances must have been sufficient for this long before one is stopped. */
  readonly shrinkDelayMs: number;
  /** Idle time after which an instance is stopped, including the last one. */
  readonly idleTimeoutMs: number;
  /** Idle time after which an instance is suspended, where the runtime supports it. 0 = never. */
  readonly suspendAfterMs: number;
  /** Idle time after which an instance may be stopped to free its capacity for another service. */
  readonly reclaimAfterMs: number;
  /** Time that a deploy without capacity waits for other services to become idle. */
  readonly capacityWaitMs: number;

  /** Maximum drain of a replaced revision. Its requests may run for the service's request timeout, but no longer than this. */
  readonly drainMaxMs: number;
  /** Time after which the WebSockets of a replaced revision are sent a close frame. */
  readonly webSocketGraceMs: number;
  /** Time from the close frame to the end of the connection. */
  readonly webSocketCloseMs: number;
  /** Maximum drain of a removed deployment. */
  readonly removeDrainMs: number;
  /** Maximum drain of all services when the gateway closes. */
  readonly closeDrainMs: number;
  /** Time from SIGTERM to SIGKILL. */
  readonly stopGraceMs: number;
  /** Maximum time that a timed-out request keeps its slot while the instance still works on it. */
  readonly slotHoldMs: number;

  readonly connectTimeoutMs: number;
  /** Idle timeout of a connection to an instance. Below the 5 s after which Node and uvicorn close idle connections. */
  readonly upstreamIdleMs: number;
  /**
   * Time that a worker process parks a free slot for its next request, so that steady traffic does not ask the core. 0 = never.
   * docs/guides/gateway-workers.md describes the cost.
   */
  readonly slotParkMs: number;
  /** Time in which a worker must acknowledge a ping or a changed route. After it, the core drops the worker. */
  readonly workerAckMs: number;
}

/** The default policy. */
export const DEFAULT_POLICY: GatewayPolicy = {
  targetUseRatio: 0.6,
  smallConcurrency: 3,
  queuePlacesPerSlot: 10,
  queuePlacesMax: 10_000,
  queueBytesMax: 64 * 2 ** 20,
  queueWaitMinMs: 10_000,
  queueWaitStartRatio: 3.5,
  startTimeSeedMs: 1_000,
  startTimeSamples: 10,
  startTimeoutMs: LIMITS.startTimeoutMs,
  releaseTimeoutMs: 600_000,
  wrongPortMs: 5_000,
  wrongPortMaxMs: 60_000,
  startBackoffBaseMs: 250,
  startBackoffMaxMs: 60_000,
  stableAfterMs: 10_000,
  startSlotHoldMs: 10_000,
  probeMinMs: 5,
  probeMaxMs: 1_000,
  unreadyMaxMs: 30_000,
  unhealthyAfter: 3,
  tickMs: 2_000,
  stableWindowMs: 60_000,
  panicWindowMs: 6_000,
  panicRatio: 2,
  panicHoldMs: 60_000,
  shrinkDelayMs: 60_000,
  idleTimeoutMs: 15 * 60_000,
  suspendAfterMs: 0,
  reclaimAfterMs: 1_000,
  capacityWaitMs: 10_000,
  drainMaxMs: 600_000,
  webSocketGraceMs: 10_000,
  webSocketCloseMs: 5_000,
  removeDrainMs: 10_000,
  closeDrainMs: 10_000,
  stopGraceMs: 10_000,
  slotHoldMs: 10_000,
  connectTimeoutMs: 5_000,
  upstreamIdleMs: 4_000,
  slotParkMs: 50,
  workerAckMs: 5_000,
};
