import type { Brush, Histogram } from '../state/histogram.ts';
import { SEVERITY_GROUPS, type SeverityGroup } from '../state/severities.ts';

const FILLS: Readonly<Record<SeverityGroup, string>> = {
  error: 'fill-bad',
  warning: 'fill-warn',
  info: 'fill-line-strong',
};
const HEIGHT = 56;

/** Bars of the histogram, each one unit wide. */
export function HistogramBars({
  histogram,
  marked,
}: {
  readonly histogram: Histogram;
  readonly marked: Brush | undefined;
}) {
  const { buckets, most } = histogram;
  const from = marked ? Math.min(marked.anchor, marked.head) : 0;
  const count = marked ? Math.abs(marked.head - marked.anchor) + 1 : 0;
  return (
    <svg aria-hidden viewBox={`0 0 ${buckets.length} ${HEIGHT}`} preserveAspectRatio="none" className="h-14 w-full">
      <rect x={from} width={count} y={0} height={HEIGHT} className="fill-accent-soft" />
      {buckets.map((bucket, index) => {
        let y = HEIGHT;
        return SEVERITY_GROUPS.map((group) => {
          if (bucket[group] === 0) return null;
          // A minimum height keeps one error among a million entries visible.
          const height = Math.max((bucket[group] / most) * (HEIGHT - 4), 1.5);
          y -= height;
          return (
            <rect
              key={`${bucket.atMs} ${group}`}
              x={index + 0.1}
              width={0.8}
              y={y}
              height={height}
              className={FILLS[group]}
            />
          );
        });
      })}
    </svg>
  );
}
