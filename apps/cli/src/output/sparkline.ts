import type { Signs } from './style.ts';

/** Draws numbers as a line of bars from 0. More than `width` values are grouped, and each bar is its group's maximum. */
export function sparkline(values: readonly number[], { bars }: Pick<Signs, 'bars'>, width: number): string {
  const count = Math.min(width, values.length);
  const parts = Array.from({ length: count }, (_, index) =>
    Math.max(
      ...values.slice(Math.floor((index * values.length) / count), Math.floor(((index + 1) * values.length) / count)),
    ),
  );
  const highest = Math.max(...parts);
  const step = (value: number) => (highest <= 0 ? 0 : Math.ceil((value / highest) * (bars.length - 1)));
  return parts.map((value) => bars[step(value)]).join('');
}
