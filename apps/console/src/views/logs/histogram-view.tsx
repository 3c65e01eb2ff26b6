import { classNames } from '@berth/web';
import { type PointerEvent, useState } from 'react';
import { brushRange, type Histogram } from '../../state/logs/histogram.ts';
import { SEVERITY_GROUPS, type SeverityGroup } from '../../state/logs/severities.ts';
import { useConsoleTexts } from '../../text/use-console-texts.ts';

const FILLS: Readonly<Record<SeverityGroup, string>> = {
  error: 'fill-bad',
  warning: 'fill-warn',
  info: 'fill-line-strong',
};

export interface HistogramViewProps {
  /** Undefined while it is counted. */
  readonly histogram: Histogram | undefined;
  onBrush(range: { readonly from: string; readonly to: string }): void;
}

const HEIGHT = 48;

/** Entries over time, errors below; drawn over, it narrows the time. Keys do the same with the range's select. */
export function HistogramView({ histogram, onBrush }: HistogramViewProps) {
  const { t, formats, direction } = useConsoleTexts();
  const [brush, setBrush] = useState<{ readonly from: number; readonly to: number }>();
  if (!histogram) return <div className="h-12 rounded bg-sunken" />;
  const { buckets, most } = histogram;
  const indexOf = (event: PointerEvent<SVGSVGElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    const index = Math.floor(((event.clientX - box.left) / box.width) * buckets.length);
    return Math.min(Math.max(index, 0), buckets.length - 1);
  };
  const isBrushed = (index: number) =>
    brush !== undefined && index >= Math.min(brush.from, brush.to) && index <= Math.max(brush.from, brush.to);
  return (
    // Time runs from left to right in every language here, as in the log itself.
    <div dir="ltr">
      <svg
        role="img"
        aria-label={t('logs.histogram')}
        viewBox={`0 0 ${buckets.length} ${HEIGHT}`}
        preserveAspectRatio="none"
        className="h-12 w-full cursor-crosshair touch-none rounded bg-sunken"
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          setBrush({ from: indexOf(event), to: indexOf(event) });
        }}
        onPointerMove={(event) => brush && setBrush({ ...brush, to: indexOf(event) })}
        onPointerCancel={() => setBrush(undefined)}
        onPointerUp={() => {
          if (brush) onBrush(brushRange(histogram, brush.from, brush.to));
          setBrush(undefined);
        }}
      >
        {buckets.map((bucket, index) => {
          const { atMs, error, warning, info } = bucket;
          const count = error + warning + info;
          let y = HEIGHT;
          return (
            <g key={atMs}>
              <title>{t('logs.histogram.bar', { time: formats.time(atMs), count, errors: error })}</title>
              <rect
                x={index}
                width={1}
                y={0}
                height={HEIGHT}
                className={isBrushed(index) ? 'fill-accent-soft' : 'fill-transparent'}
              />
              {SEVERITY_GROUPS.map((group) => {
                if (bucket[group] === 0) return null;
                const height = Math.max((bucket[group] / most) * (HEIGHT - 4), 1.5);
                y -= height;
                return <rect key={group} x={index + 0.1} width={0.8} y={y} height={height} className={FILLS[group]} />;
              })}
            </g>
          );
        })}
      </svg>
      <div className={classNames('flex justify-between text-xs text-ink-soft')} dir="ltr">
        <span dir={direction}>{formats.time(buckets[0]?.atMs ?? 0)}</span>
        <span dir={direction}>{formats.time((buckets.at(-1)?.atMs ?? 0) + histogram.stepMs)}</span>
      </div>
    </div>
  );
}
