import type { RequestRecord, ServiceLoad } from '@berth/gateway';
import { Counter, Histogram, type Registry } from 'prom-client';
import { CODE_CLASSES, createDeploymentTallies } from './deployment-tallies.ts';
import type { GatewayListener } from './fan-out-gateway-events.ts';
import { createHistogramTally } from './histogram-tally.ts';
import { createLoadGauges } from './load-gauges.ts';

/** Options of {@link createGatewayMetrics}. */
export interface GatewayMetricsOptions {
  readonly registry: Registry;
  /** Maximum number of deployments with series of their own; the rest share `other`. Default: 1,000. */
  readonly maxDeployments?: number;
}

/** Prometheus metrics of the gateway's events. */
export interface GatewayMetrics extends GatewayListener {
  /** Updates the registry before it is read. Series of deployments that `loads` doesn't contain are removed. */
  refresh(loads: Iterable<ServiceLoad>): void;
  /** Returns lines in the text format that belong beside the registry's. */
  durationText(): string;
}

/** Each deployment has 5 to 15 series: two to five status classes, two or three gauges, one to seven states. */
const MAX_DEPLOYMENTS = 1_000;
/** Present from the start, because an error ratio needs both; the others appear with their first request. */
const FIRST_CLASSES: ReadonlySet<string> = new Set(['2xx', '5xx']);
const SWITCHING_PROTOCOLS = 101;
/** Seconds, from the proxy's own overhead to a streamed response. */
const DURATION_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];
/** Seconds. The maximum start timeout is 240 s. Source: docs/contract/control-plane.md §2. */
const COLD_START_BUCKETS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 240];
/** Seconds. A resume is one write to a kernel file; half a second is an outlier. */
const RESUME_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5];
const START_REASONS = [
  'deploy',
  'release',
  'run',
  'request',
  'scale_up',
  'restart_after_crash',
  'min_instances',
  'adopted',
] as const;
const COLD_START_PARTS = {
  queued: 'queuedMs',
  scheduled: 'scheduledMs',
  spawned: 'spawnedMs',
  port_open: 'portOpenMs',
  first_byte: 'firstByteMs',
} as const satisfies Record<string, keyof NonNullable<RequestRecord['coldStart']>>;

/** Creates {@link GatewayMetrics}. */
export function createGatewayMetrics({ registry, maxDeployments }: GatewayMetricsOptions): GatewayMetrics {
  const registers = [registry];
  const tallies = createDeploymentTallies(maxDeployments ?? MAX_DEPLOYMENTS);
  const gauges = createLoadGauges(registry);
  const counter = (name: string, help: string, ...labelNames: readonly string[]) =>
    new Counter({ name, help, labelNames, registers });
  const requests = counter(
    'berth_requests_total',
    'Finished requests, by deployment and response status class',
    ...['deployment', 'code_class'],
  );
  const duration = createHistogramTally({
    name: 'berth_request_duration_seconds',
    help: 'Request duration from received headers to the end of the response; excludes WebSockets',
    buckets: DURATION_BUCKETS,
  });
  const starts = counter('berth_instance_starts_total', 'Instance starts, by reason', 'reason');
  const startFailures = counter('berth_instance_start_failures_total', 'Failed instance starts');
  const crashes = counter('berth_instance_crashes_total', 'Instances that crashed after a successful start');
  const suspensions = counter('berth_instance_suspensions_total', 'Suspended idle instances');
  const busySeconds = counter(
    'berth_instance_busy_seconds_total',
    'Time that idle instances were kept because they reported background work',
  );
  const resumes = new Histogram({
    name: 'berth_instance_resume_seconds',
    help: 'Time to resume a suspended instance',
    buckets: RESUME_BUCKETS,
    registers,
  });
  const coldStarts = new Histogram({
    name: 'berth_cold_start_seconds',
    help: 'Cold-start phases: time from received headers to the end of each phase',
    labelNames: ['part'],
    buckets: COLD_START_BUCKETS,
    registers,
  });
  const parts = Object.entries(COLD_START_PARTS).map(([part, field]) => ({ field, series: coldStarts.labels(part) }));
  // `rate()` needs a zero before the first event.
  for (const reason of START_REASONS) starts.inc({ reason }, 0);
  for (const part of Object.keys(COLD_START_PARTS)) coldStarts.zero({ part });

  return {
    onRequest({ deployment, status, latencyMs, coldStart }) {
      const counts = tallies.of(deployment).requests;
      const index = classIndex(status);
      counts[index] = (counts[index] ?? 0) + 1;
      if (status !== SWITCHING_PROTOCOLS) duration.observe(latencyMs / 1_000);
      if (coldStart === undefined) return;
      for (const { field, series } of parts) series.observe(coldStart[field] / 1_000);
    },
    onInstance(event) {
      // The deployment's series exist from its first instance on.
      tallies.of(event.deployment);
      if (event.kind === 'started') starts.inc({ reason: event.reason });
      else if (event.kind === 'start_failed') startFailures.inc();
      else if (event.kind === 'crashed') crashes.inc();
      else if (event.kind === 'suspended') suspensions.inc();
      else if (event.kind === 'busy_ended') busySeconds.inc(event.busyMs / 1_000);
      else if (event.kind === 'resumed') resumes.observe(event.resumeMs / 1_000);
    },
    refresh(loads) {
      const current = [...loads];
      const names = new Set(current.map(({ deployment }) => deployment));
      tallies.prune((deployment) => names.has(deployment));
      requests.reset();
      for (const tally of tallies.list()) {
        const { deployment } = tally;
        for (const [index, code_class] of CODE_CLASSES.entries()) {
          const count = tally.requests[index] ?? 0;
          if (count > 0 || FIRST_CLASSES.has(code_class)) requests.inc({ deployment, code_class }, count);
        }
      }
      gauges.set(current, tallies.labelOf);
    },
    durationText: () => duration.text(),
  };
}

function classIndex(status: number): number {
  return Math.min(Math.max(Math.trunc(status / 100), 1), CODE_CLASSES.length) - 1;
}
