import type { Plot } from './plot-series.ts';

const COUNTS: ReadonlySet<Plot> = new Set(['requests', 'instances', 'coldStarts']);

/** Returns the steps between two ticks that an axis may have, ascending: whole for counts, powers of two for bytes. */
export function tickSteps(plot: Plot): number[] {
  if (plot === 'memory') return Array.from({ length: 50 }, (_, power) => 2 ** power);
  const steps = (power: number) => [1, 2, 5].map((digit) => Number(`${digit}e${power}`));
  return Array.from({ length: 16 }, (_, at) => steps(at - (COUNTS.has(plot) ? 0 : 3))).flat();
}

/** Returns the width of an axis in pixels that has room for its longest label. */
export function axisWidth(labels: readonly string[] | null): number {
  const longest = Math.max(0, ...(labels ?? []).map((label) => label.replaceAll(/[\u2066-\u2069]/g, '').length));
  return Math.max(44, Math.ceil(longest * 7) + 16);
}
