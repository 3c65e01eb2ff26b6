import type { SqlRow } from '@berth/contract';

/** Data of a plot: one value of each series per position on the x axis. */
export interface Plot {
  readonly x: { readonly name: string; readonly isTime: boolean; readonly values: readonly string[] };
  readonly series: readonly { readonly name: string; readonly values: readonly number[] }[];
  /** The highest value, at least 0; `least` is the lowest, at most 0. */
  readonly most: number;
  readonly least: number;
  /** Number of rows beyond the maximum a plot shows. */
  readonly leftOut: number;
}

const POINTS_MOST = 2_000;
const SERIES_MOST = 6;
const TIME = /^\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d+)?Z)?$/;

/** Columns that a person chose to plot. Missing or unsuitable columns are replaced by defaults. */
export interface PlotChoice {
  /** Column of the x axis. */
  readonly x?: string | undefined;
  /** Columns of the y axis. */
  readonly series?: readonly string[] | undefined;
}

/** Columns that are available for the axes of a plot. */
export interface PlotColumns {
  readonly x: readonly string[];
  readonly series: readonly string[];
}

/** Returns the columns that can be plotted. */
export function findPlotColumns(rows: readonly SqlRow[]): PlotColumns {
  const { names, numbers } = classify(rows.slice(0, POINTS_MOST));
  return { x: names, series: numbers };
}

/**
 * Returns a plot of the numeric columns; undefined if there are none. By default, the x axis is the first time column,
 * otherwise the first text column.
 */
export function toPlot(rows: readonly SqlRow[], choice: PlotChoice = {}): Plot | undefined {
  const shown = rows.slice(0, POINTS_MOST);
  const { names, numbers, times } = classify(shown);
  const chosenX = names.find((name) => name === choice.x);
  const usualX =
    times[0] ?? names.find((name) => !numbers.includes(name)) ?? (numbers.length > 1 ? numbers[0] : undefined);
  const x = chosenX ?? usualX;
  const chosen = choice.series?.filter((name) => numbers.includes(name) && name !== x) ?? [];
  const series = (chosen.length > 0 ? chosen : numbers.filter((name) => name !== x)).slice(0, SERIES_MOST);
  if (x === undefined || series.length === 0) return undefined;
  const isTime = times.includes(x);
  const sorted = isTime ? shown.toSorted((one, other) => (String(one[x]) < String(other[x]) ? -1 : 1)) : shown;
  const lines = series.map((name) => ({ name, values: sorted.map((row) => Number(row[name] ?? 0)) }));
  const values = lines.flatMap((line) => line.values);
  return {
    x: { name: x, isTime, values: sorted.map((row) => String(row[x] ?? '')) },
    series: lines,
    most: values.reduce((most, value) => Math.max(most, value), 0),
    least: values.reduce((least, value) => Math.min(least, value), 0),
    leftOut: rows.length - shown.length,
  };
}

/** Returns the columns grouped by the type of their values. */
function classify(shown: readonly SqlRow[]) {
  const names = Object.keys(shown[0] ?? {});
  const all = (name: string, fits: (value: unknown) => boolean) =>
    shown.every((row) => row[name] === null || fits(row[name])) && shown.some((row) => row[name] !== null);
  return {
    names,
    numbers: names.filter((name) => all(name, isNumber)),
    times: names.filter((name) => all(name, (value) => typeof value === 'string' && TIME.test(value))),
  };
}

/** Decimals that JavaScript can't represent exactly come as text. */
function isNumber(value: unknown): boolean {
  return typeof value === 'number' || (typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value));
}
