import { LIMITS } from '@berth/contract/limits';

/**
 * Every number the gateway decides by. Source of the defaults: docs/architecture.md, "The gateway", unless said.
 * All times are milliseconds of the monotonic clock.
 */
export interface GatewayPolicy {
  /** The share of an instance's slots that is aimed at: above it another instance is started. */
  readonly targetUseRatio: number;
  /** Up to this concurrency requests go to the oldest instance with a slot, not to the most loaded one. */
  readonly smallConcurrency: number;

  readonly queuePlacesPerSlot: number;
  readonly queuePlacesMax: number;
  /** What the requests of one queue may hold in memory, by estimate: heads, and body bytes that came with them. */
  readonly queueBytesMax: number;
  readonly queueWaitMinMs: number;
  /** A request waits up to this many mean start times, when that is more than {@link queueWaitMinMs}. */
  readonly queueWaitStartRatio: number;

  /** The mean start time that is assumed before a first start. */
  readonly startTimeSeedMs: number;
  readonly startTimeSamples: number;
  readonly startTimeoutMs: number;
  /** Longest a release command may take; as long as a build by default. */
  readonly releaseTimeoutMs: number;
  /** A start fails when its program has listened on other ports and been idle for this long: it does not read PORT. */
  readonly wrongPortMs: number;
  /** As {@link wrongPortMs}, whether or not the program was idle. */
  readonly wrongPortMaxMs: number;
  readonly startBackoffBaseMs: number;
  readonly startBackoffMaxMs: number;
  /** A failure this long after the last good start begins a new streak. */
  readonly stableAfterMs: number;
  /** A start counts against the machine's simultaneous starts for this long at most, so that hung ones starve nobody. */
  readonly startSlotHoldMs: number;
  /** A start is seen this late on average by half, so it counts for every cold start; a refused probe costs some 0.1 ms. */
  readonly probeMinMs: number;
  readonly probeMaxMs: number;
  /** A ready instance that refuses connections, or is unhealthy, is given this long to be ready again. */
  readonly unreadyMaxMs: number;
  /** A serving instance is unhealthy when its health check has failed this often in a row. Source: failureThreshold of Kubernetes. */
  readonly unhealthyAfter: number;

  readonly tickMs: number;
  readonly stableWindowMs: number;
  readonly panicWindowMs: number;
  /** Panic begins when the short window asks for this many times the ready instances. */
  readonly panicRatio: number;
  readonly panicHoldMs: number;
  /** Fewer instances must have been enough for this long before any is stopped. */
  readonly shrinkDelayMs: number;
  /** An instance without a request for this long is stopped, the last one too. */
  readonly idleTimeoutMs: number;
  /** An instance idle for this long is frozen where the runtime can; 0: never. */
  readonly suspendAfterMs: number;
  /** An instance is stopped for another service's memory only when idle for this long. */
  readonly reclaimAfterMs: number;
  /** A deploy that finds no room waits this long for others to become idle. */
  readonly capacityWaitMs: number;

  /** A replaced revision's requests may go on for the service's timeout, but never longer than this. */
  readonly drainMaxMs: number;
  /** A replaced revision's WebSockets are told to go away after this. */
  readonly webSocketGraceMs: number;
  /** From the close frame to the end of the connection. */
  readonly webSocketCloseMs: number;
  readonly removeDrainMs: number;
  readonly closeDrainMs: number;
  /** SIGTERM to SIGKILL. */
  readonly stopGraceMs: number;
  /** A request that ran into its timeout keeps its slot until the instance ends it, this long at most. */
  readonly slotHoldMs: number;

  readonly connectTimeoutMs: number;
  /** A kept connection to an instance is reused for this long. Below the 5 s after which Node and uvicorn close it. */
  readonly upstreamIdleMs: number;
  /**
   * Where requests are admitted in other processes: a slot that came free there is kept this long for the next request, so that
   * steady traffic asks nobody. 0: never. What it costs is in docs/guides/gateway-workers.md.
   */
  readonly slotParkMs: number;
  /** A worker that has not said for this long that it lives, or knows of a changed route, is given up. */
  readonly workerAckMs: number;
}

/** The defaults. */
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
