/** One number that was measured, beside its target, if it has one. */
export interface Figure {
  /** Id in the table of speed targets (docs), e.g. `P5`. */
  readonly id?: string;
  readonly title: string;
  readonly value: number;
  readonly unit: 'ms' | 'tokens' | 'µs' | 'ratio' | 'runs' | 'requests' | 'req/s' | 'lines/s' | '%' | 'MB' | 'KB';
  /** The value may be at most this. */
  readonly target?: number;
  /** The value must be at least this. */
  readonly atLeast?: number;
}

/** What a benchmark found. */
export interface BenchResult {
  readonly figures: readonly Figure[];
  /** What was not measured, and what to mind when reading the numbers. */
  readonly notes: readonly string[];
}

export interface BenchOptions {
  /** A tenth of the full size: for correctness, not for numbers. */
  readonly isTenth: boolean;
  /** Progress, line by line. */
  readonly say: (line: string) => void;
}

/** A benchmark: it measures, and throws when what it drives does not work. */
export type Bench = (options: BenchOptions) => Promise<BenchResult>;
