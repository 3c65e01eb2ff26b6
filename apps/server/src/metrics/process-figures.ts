import {
  AggregatorRegistry,
  collectDefaultMetrics,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from 'prom-client';

/** CPU, memory, open files and event loop of a process at one moment. A structured clone. */
export type ProcessFigures = readonly MetricObjectWithValues<MetricValue<string>>[];

/** Measures this process. Returns its figures as text, and as data for another process. */
export type ProcessMeter = ReturnType<typeof createProcessMeter>;

/** Creates a {@link ProcessMeter}. */
export function createProcessMeter() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return {
    text: () => registry.metrics(),
    figures: async () => registry.getMetricsAsJSON() as Promise<ProcessFigures>,
  };
}

/** Figures of a process and its role. */
export interface RoleFigures {
  /** `main`, `control`, `worker-1`… */
  readonly role: string;
  readonly figures: ProcessFigures;
}

/** Returns figures of several processes in the Prometheus text format, with the label `role`. */
export function processFiguresText(processes: readonly RoleFigures[]): Promise<string> {
  const labelled = processes.map(({ role, figures }) =>
    figures.map((metric) => ({
      ...metric,
      // Every value belongs to one process, so there is nothing to aggregate.
      aggregator: 'first' as const,
      values: metric.values.map((value) => ({ ...value, labels: { role, ...value.labels } })),
    })),
  );
  return AggregatorRegistry.aggregate(labelled).metrics();
}
