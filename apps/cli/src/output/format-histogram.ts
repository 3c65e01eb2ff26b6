import { type LogHistogram, SEVERITIES } from '@berth/contract';
import { formatTable } from './format-table.ts';
import { sparkline } from './sparkline.ts';
import type { Style } from './style.ts';

const CHART_WIDTH = 60;

/** Formats a line for each severity that occurs, the most severe first: how many entries, and when. */
export function formatHistogram({ buckets }: LogHistogram, style: Style): string {
  const rows = SEVERITIES.toReversed()
    .map((severity) => ({ severity, counts: buckets.map(({ counts }) => counts[severity] ?? 0) }))
    .map((row) => ({ ...row, total: row.counts.reduce((sum, count) => sum + count, 0) }))
    .filter(({ total }) => total > 0);
  return formatTable(
    rows,
    [
      { heading: 'SEVERITY', text: ({ severity }) => severity },
      { heading: 'ENTRIES', text: ({ total }) => String(total) },
      { heading: 'OLDEST FIRST', text: ({ counts }) => sparkline(counts, style.signs, CHART_WIDTH) },
    ],
    style,
  );
}
