import { roundTo } from './statistics.ts';

/** One number that was measured, beside its target, if it has one. */
export interface Figure {
  /** Id in the table of speed targets (docs), e.g. `P5`. */
  readonly id?: string;
  readonly title: string;
  readonly value: number;
  readonly unit:
    | 'ms'
    | 'tokens'
    | 'µs'
    | 'ratio'
    | 'runs'
    | 'Pods'
    | 'Pods/s'
    | 'requests'
    | 'req/s'
    | 'connections/s'
    | 'messages/s'
    | 'events/s'
    | 'lines/s'
    | '%'
    | 'MB'
    | 'KB';
  /** The lowest and the highest of the rounds that the value is the median of. */
  readonly spread?: readonly [number, number];
  /** The value may be at most this. */
  readonly target?: number;
  /** The value must be at least this. */
  readonly atLeast?: number;
}

/** What a figure is to be: see {@link Figure}. */
type Goal = Pick<Figure, 'id' | 'target' | 'atLeast'>;

/** Makes a figure of what was measured: whole numbers from 100 on, two digits after the point below. */
export function figure(title: string, value: number, unit: Figure['unit'], goal?: Goal): Figure {
  return { title, value: roundTo(value, Math.abs(value) < 100 ? 2 : 0), unit, ...goal };
}

/** What a benchmark found. */
export interface BenchResult {
  readonly figures: readonly Figure[];
  /** What was not measured, and what to mind when reading the numbers. */
  readonly notes: readonly string[];
  /** The figures for people, in place of a list of them. */
  readonly table?: string;
}

export interface BenchOptions {
  /** A tenth of the full size: for correctness, not for numbers. */
  readonly isTenth: boolean;
  /** The parts to measure, where a benchmark has parts; all unless given. */
  readonly only?: readonly string[];
  /** Progress, line by line. */
  readonly say: (line: string) => void;
}

/** A benchmark: it measures, and throws when what it drives does not work. */
export type Bench = (options: BenchOptions) => Promise<BenchResult>;
