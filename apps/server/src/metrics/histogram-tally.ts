/** Name, help text and bucket bounds of a histogram: upper bounds, ascending, without infinity. */
export interface HistogramTallyOptions {
  readonly name: string;
  /** One line without a backslash. */
  readonly help: string;
  readonly buckets: readonly number[];
}

/**
 * Creates a histogram without labels whose observations allocate nothing. Every request passes through it; prom-client's histogram would
 * create and hash a label object each time.
 */
export function createHistogramTally({ name, help, buckets }: HistogramTallyOptions) {
  const bounds = Float64Array.from(buckets);
  /** Counts by bucket, not cumulative; the last one counts values above every bound. */
  const counts = new Float64Array(bounds.length + 1);
  const sum = new Float64Array(1);

  return {
    observe(value: number): void {
      let index = 0;
      while (index < bounds.length && value > (bounds[index] as number)) index++;
      counts[index] = (counts[index] as number) + 1;
      sum[0] = (sum[0] as number) + value;
    },
    /** Returns its lines in the Prometheus text format. */
    text(): string {
      const lines = [`# HELP ${name} ${help}`, `# TYPE ${name} histogram`];
      let count = 0;
      for (const [index, ofBucket] of counts.entries()) {
        count += ofBucket;
        lines.push(`${name}_bucket{le="${bounds[index] ?? '+Inf'}"} ${count}`);
      }
      lines.push(`${name}_sum ${sum[0]}`, `${name}_count ${count}`, '');
      return lines.join('\n');
    },
  };
}
