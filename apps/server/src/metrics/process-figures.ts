import {
  AggregatorRegistry,
  collectDefaultMetrics,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from 'prom-client';

/** CPU, memory, open files, event loop of one process at one time: a structured clone. */
export type ProcessFigures = readonly MetricObjectWithValues<MetricValue<string>>[];

/** Measures this process from now on. Answers its figures in the text format, and as data for another process. */
export interface ProcessMeter {
  text(): Promise<string>;
  figures(): Promise<ProcessFigures>;
}

export function createProcessMeter(): ProcessMeter {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return {
    text: () => registry.metrics(),
    figures: async () => registry.getMetricsAsJSON() as Promise<ProcessFigures>,
  };
}

/** Whose figures they are. */
export interface RoleFigures {
  /** `main`, `control`, `worker-1`… */
  readonly role: string;
  readonly figures: ProcessFigures;
}

/** The figures of several processes in the Prometheus text format, told apart by the label `role`. */
export function processFiguresText(processes: readonly RoleFigures[]): Promise<string> {
  const labelled = processes.map(({ role, figures }) =>
    figures.map((metric) => ({
      ...metric,
      // Each value is of one process alone: there is nothing to be added up or left out.
      aggregator: 'first' as const,
      values: metric.values.map((value) => ({ ...value, labels: { role, ...value.labels } })),
    })),
  );
  return AggregatorRegistry.aggregate(labelled).metrics();
}
