import { type KeyboardEvent, type PointerEvent, useId, useState } from 'react';
import { useConsoleTexts } from '../../../text/use-console-texts.ts';
import { type Brush, brushRange, type Histogram, moveBrush, sumOf } from '../state/histogram.ts';
import { SEVERITY_GROUPS, type SeverityGroup } from '../state/severities.ts';

interface HistogramViewProps {
  /** Undefined while loading. */
  readonly histogram: Histogram | undefined;
  readonly isUtc: boolean;
  onBrush(range: { readonly from: string; readonly to: string }): void;
}

/**
 * Histogram of entries over time, with errors at the bottom. Dragging, or the arrow keys and Enter, selects a time
 * range.
 */
export function HistogramView({ histogram, isUtc, onBrush }: HistogramViewProps) {
  const { t, formats, language, direction } = useConsoleTexts();
  const hintId = useId();
  const [brush, setBrush] = useState<Brush>();
  const [isDrawing, setDrawing] = useState(false);
  const [hovered, setHovered] = useState<number>();
  if (!histogram) return <div className="h-20 rounded bg-sunken" />;
  const { buckets, stepMs } = histogram;
  const zone = isUtc ? { timeZone: 'UTC' } : {};
  const time = new Intl.DateTimeFormat(language, {
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    ...zone,
    ...(stepMs < 60_000 && { second: '2-digit' }),
  });
  const indexOf = (event: PointerEvent<HTMLElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    const index = Math.floor(((event.clientX - box.left) / box.width) * buckets.length);
    return Math.min(Math.max(index, 0), buckets.length - 1);
  };
  const zoom = () => {
    if (brush) onBrush(brushRange(histogram, brush.anchor, brush.head));
    setBrush(undefined);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const moved = moveBrush(brush, event, buckets.length);
    if (moved) setBrush(moved);
    else if (event.key === 'Enter' && brush) zoom();
    else if (event.key === 'Escape' && brush) setBrush(undefined);
    else return;
    event.preventDefault();
  };
  const told = brush ?? (hovered === undefined ? undefined : { anchor: hovered, head: hovered });
  const startMs = buckets[0]?.atMs ?? 0;
  const endMs = (buckets.at(-1)?.atMs ?? 0) + stepMs;
  return (
    // Time runs from left to right in every language, as in the log itself.
    <div dir="ltr" className="flex flex-col gap-1">
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset takes no focus */}
      <div
        role="group"
        aria-label={t('logs.histogram')}
        aria-describedby={hintId}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys select a time range
        tabIndex={0}
        onKeyDown={onKeyDown}
        onBlur={() => setBrush(undefined)}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          setDrawing(true);
          setBrush({ anchor: indexOf(event), head: indexOf(event) });
        }}
        onPointerMove={(event) => {
          setHovered(indexOf(event));
          if (isDrawing && brush) setBrush({ ...brush, head: indexOf(event) });
        }}
        onPointerLeave={() => setHovered(undefined)}
        onPointerCancel={() => {
          setDrawing(false);
          setBrush(undefined);
        }}
        onPointerUp={() => {
          setDrawing(false);
          zoom();
        }}
        className="cursor-crosshair touch-pan-y rounded bg-sunken"
      >
        <HistogramBars histogram={histogram} marked={told} />
      </div>
      <div className="flex justify-between gap-2 text-xs text-ink-soft tabular-nums">
        <span dir={direction} className="shrink-0">
          {time.format(startMs)}
        </span>
        <span dir={direction} aria-live="polite" className="min-w-0 truncate text-ink">
          {told && describe(told)}
        </span>
        <span dir={direction} className="shrink-0">
          {time.format(endMs)}
        </span>
      </div>
      <span id={hintId} className="sr-only">
        {t('logs.histogram.keys')}
      </span>
    </div>
  );

  function describe({ anchor, head }: Brush): string {
    const marked = buckets.slice(Math.min(anchor, head), Math.max(anchor, head) + 1);
    return t('logs.histogram.bar', {
      time: time.formatRange(marked[0]?.atMs ?? 0, (marked.at(-1)?.atMs ?? 0) + stepMs),
      count: formats.number(marked.reduce((sum, bucket) => sum + sumOf(bucket), 0)),
      errors: formats.number(marked.reduce((sum, bucket) => sum + bucket.error, 0)),
    });
  }
}

const FILLS: Readonly<Record<SeverityGroup, string>> = {
  error: 'fill-bad',
  warning: 'fill-warn',
  info: 'fill-line-strong',
};
const HEIGHT = 56;

/** Bars of the histogram, each one unit wide. */
function HistogramBars({ histogram, marked }: { readonly histogram: Histogram; readonly marked: Brush | undefined }) {
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
