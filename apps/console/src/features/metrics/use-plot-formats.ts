import { useConsoleTexts } from '../../text/use-console-texts.ts';
import type { Plot } from './plot-series.ts';

/** Returns a function that formats a value of a plot with its unit. */
export function usePlotFormats(): (kind: Plot, value: number | null | undefined) => string {
  const { formats } = useConsoleTexts();
  return (kind, value) => {
    if (value === null || value === undefined) return '–';
    if (kind === 'memory') return formats.bytes(value);
    if (kind === 'cpu') return formats.number(value, { maximumSignificantDigits: 2 });
    if (kind !== 'latency') return formats.number(value, { maximumFractionDigits: 1 });
    return formats.span(value, 'ms', value < 10 ? 1 : 0);
  };
}

const BYTE_UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

/** Returns a function that formats the ticks of an axis, all in the unit of the highest one. */
export function useTickFormats(): (kind: Plot, values: readonly number[]) => string[] {
  const { formats, direction } = useConsoleTexts();
  const format = usePlotFormats();
  return (kind, values) => {
    if (kind !== 'memory') return values.map((value) => format(kind, value));
    const power = Math.min(Math.floor(Math.log2(Math.max(1, ...values)) / 10), BYTE_UNITS.length - 1);
    return values.map((value) => {
      const text = `${formats.number(value / 1024 ** power, { maximumFractionDigits: 2 })} ${BYTE_UNITS[power]}`;
      return direction === 'rtl' ? `\u2066${text}\u2069` : text;
    });
  };
}
