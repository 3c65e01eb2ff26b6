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
    const maximumFractionDigits = value < 10 ? 1 : 0;
    return formats.number(value, { style: 'unit', unit: 'millisecond', unitDisplay: 'narrow', maximumFractionDigits });
  };
}
