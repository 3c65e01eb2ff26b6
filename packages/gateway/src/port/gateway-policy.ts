import { LIMITS } from '@berth/contract/limits';

/**
 * The default limits and durations that the gateway decides by. They come from docs/architecture.md, "The gateway", unless a field names
 * another source. All times are milliseconds of the monotonic clock.
 */
export const DEFAULT_POLICY = {
  /** Target utilization of an instance's slots. Above this ratio another instance is started. */
  targetUseRatio: 0.6,
  /** Up to this concurrency, requests go to the oldest instance with a free slot instead of the most loaded one. */
  smallConcurrency: 3,

  /** Queued requests allowed for each slot. */
  queuePlacesPerSlot: 10,
  /** Maximum length of one queue. */
  queuePlacesMax: 10_000,
  /** Maximum estimated memory of the requests of one queue: heads and buffered body bytes. */
  queueBytesMax: 64 * 2 ** 20,
  /** Minimum time that a request may wait in the queue. */
  queueWaitMinMs: 10_000,
  /** Minimum time that a request waits for another gateway to take its service over: the lease of the one that ended, and a margin. */
  takeOverWaitMs: 10_000,
  /** A request may wait this many mean start times, if that is longer than {@link queueWaitMinMs}. */
  queueWaitStartRatio: 3.5,

  /** Assumed mean start time before the first start. */
  startTimeSeedMs: 1_000,
  /** Number of recent starts in the mean start time. */
  startTimeSamples: 10,
  startTimeoutMs: LIMITS.startTimeoutMs,
  /** Timeout of a release command; the same as a build's by default. */
  releaseTimeoutMs: 600_000,
  /** A start fails when the program has listened on other ports and been idle for this long: it does not read PORT. */
  wrongPortMs: 5_000,
  /** Like {@link wrongPortMs}, whether or not the program was idle. */
  wrongPortMaxMs: 60_000,
  startBackoffBaseMs: 250,
  startBackoffMaxMs: 60_000,
  /** A failure this long after the last successful start begins a new streak of failures. */
  stableAfterMs: 10_000,
  /** Maximum time that a start counts towards the machine's simultaneous starts, so that hung starts do not block others. */
  startSlotHoldMs: 10_000,
  /** Minimum pause between port probes. Half of it is added to every cold start on average; a refused probe costs about 0.1 ms. */
  probeMinMs: 5,
  probeMaxMs: 1_000,
  /** Time in which an instance that refuses connections or is unhealthy must become ready again. */
  unreadyMaxMs: 30_000,
  /** Consecutive failed health checks after which an instance is unhealthy. Source: failureThreshold of Kubernetes. */
  unhealthyAfter: 3,

  tickMs: 2_000,
  stableWindowMs: 60_000,
  panicWindowMs: 6_000,
  /** Panic mode begins when the load of the short window needs this many times the ready instances. */
  panicRatio: 2,
  panicHoldMs: 60_000,
  /** Fewer instances must have been sufficient for this long before one is stopped. */
  shrinkDelayMs: 60_000,
  /** Idle time after which an instance is stopped, including the last one. */
  idleTimeoutMs: 15 * 60_000,
  /** Idle time after which an instance is suspended, where the runtime supports it. 0 = never. */
  suspendAfterMs: 0,
  /**
   * Time after its last request for which an instance that says that it is busy is kept. Longer than a turn of an agent may take
   * (docs/contract/agent-api.md §2). 0 = instances are not asked.
   */
  busyMaxMs: 60 * 60_000,
  /** Time between two questions to a busy instance. */
  busyAskMs: 5_000,
  /** Timeout of one question whether an instance is busy. */
  busyTimeoutMs: 1_000,
  /** Time without an answer after which an instance counts as idle. */
  busySilenceMs: 60_000,
  /** Idle time after which an instance may be stopped to free its capacity for another service. */
  reclaimAfterMs: 1_000,
  /** Time that a deploy without capacity waits for other services to become idle. */
  capacityWaitMs: 10_000,

  /** Maximum drain of a replaced revision. Its requests may run for the service's request timeout, but no longer than this. */
  drainMaxMs: 600_000,
  /** Time after which the WebSockets of a replaced revision are sent a close frame. */
  webSocketGraceMs: 10_000,
  /** Time from the close frame to the end of the connection. */
  webSocketCloseMs: 5_000,
  /** Time after which one of several gateways returns to the recorded revision, when it serves one whose activation wasn't recorded. */
  uncommittedMs: 60_000,
  /** Maximum drain of a removed deployment. */
  removeDrainMs: 10_000,
  /** Maximum drain of all services when the gateway closes. */
  closeDrainMs: 10_000,
  /** Time from SIGTERM to SIGKILL. */
  stopGraceMs: 10_000,
  /** Maximum time that a timed-out request keeps its slot while the instance still works on it. */
  slotHoldMs: 10_000,

  connectTimeoutMs: 5_000,
  /** Idle timeout of a connection to an instance. Below the 5 s after which Node and uvicorn close idle connections. */
  upstreamIdleMs: 4_000,
  /**
   * Time that a worker process parks a free slot for its next request, so that steady traffic does not ask the core. 0 = never.
   * docs/guides/gateway-workers.md describes the cost.
   */
  slotParkMs: 50,
  /** Time in which a worker must acknowledge a ping or a changed route. After it, the core drops the worker. */
  workerAckMs: 5_000,
};

/** The limits and durations that the gateway decides by; see {@link DEFAULT_POLICY}. */
export type GatewayPolicy = { readonly [Name in keyof typeof DEFAULT_POLICY]: number };
