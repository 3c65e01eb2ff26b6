import 'uplot/dist/uPlot.min.css';
import { useEffect, useRef } from 'react';
import UPlot from 'uplot';
import type { Plot, PlotSeries } from '../../state/deployments/plot-series.ts';
import { useConsoleTexts } from '../../text/use-console-texts.ts';

export interface LinePlotProps {
  readonly title: string;
  /** Of the lines, in their order. */
  readonly names: readonly string[];
  readonly kind: Plot;
  readonly series: PlotSeries;
}

/** Tokens of the theme that lines are drawn in; they differ in lightness too. */
const COLOURS = ['--accent', '--bad', '--warn'];
const HEIGHT_PX = 116;

/** Lines over time. What it shows is also said, for who can't see it. */
export function LinePlot({ title, names, kind, series }: LinePlotProps) {
  const { t, formats, language, direction } = useConsoleTexts();
  const placeRef = useRef<HTMLDivElement>(null);
  const plotRef = useRef<UPlot>(undefined);
  const format = (value: number | null) => (value === null ? '–' : formatOf(kind, formats)(value));
  const last = names.map((name, at) => `${name} ${format(series.lines[at]?.at(-1) ?? null)}`).join(', ');

  // biome-ignore lint/correctness/useExhaustiveDependencies: new values are put into the plot that is there
  useEffect(() => {
    const place = placeRef.current as HTMLDivElement;
    const style = getComputedStyle(document.documentElement);
    // Through an element: a token may be a function of the scheme, which a canvas does not know.
    const colour = (token: string) => {
      const probe = place.appendChild(document.createElement('span'));
      probe.style.color = `var(${token})`;
      const found = getComputedStyle(probe).color;
      probe.remove();
      return found;
    };
    const axis: UPlot.Axis = {
      stroke: colour('--ink-soft'),
      font: `11px ${style.fontFamily}`,
      grid: { stroke: colour('--line'), width: 1 },
      ticks: { show: false },
    };
    const hasGaps = kind === 'latency' || kind === 'memory';
    const time = new Intl.DateTimeFormat(language, { hour: 'numeric', minute: '2-digit' });
    const day = new Intl.DateTimeFormat(language, { month: 'short', day: 'numeric' });
    const plot = new UPlot(
      {
        width: place.clientWidth,
        height: HEIGHT_PX,
        legend: { show: false },
        cursor: { y: false, points: { show: false } },
        scales: { y: { range: (_, __, max) => [0, max > 0 ? max * 1.1 : 1] } },
        axes: [
          {
            ...axis,
            size: 24,
            values: (_, at, __, ___, step) => at.map((s) => (step >= 86_400 ? day : time).format(s * 1000)),
          },
          { ...axis, size: 64, values: (_, values) => values.map((value) => format(value)) },
        ],
        series: [
          {},
          ...names.map((label, at) => ({
            label,
            stroke: colour(COLOURS[at] ?? '--ink'),
            width: 1.5,
            // One value between two gaps is no line.
            points: { show: hasGaps, size: 4 },
          })),
        ],
      },
      toData(series),
      place,
    );
    plotRef.current = plot;
    const resize = new ResizeObserver(() => plot.setSize({ width: place.clientWidth, height: HEIGHT_PX }));
    resize.observe(place);
    return () => {
      resize.disconnect();
      plot.destroy();
    };
  }, [language, kind]);
  useEffect(() => plotRef.current?.setData(toData(series)), [series]);

  return (
    <>
      <div
        ref={placeRef}
        // Time runs from left to right; what is written along it reads as the language does.
        dir="ltr"
        role="img"
        aria-label={t('deployment.plot.said', { title, values: last })}
        className={direction === 'rtl' ? '[&_canvas]:[direction:rtl]' : ''}
      />
      <ul aria-hidden className="mt-1 flex flex-wrap gap-x-4 text-ink-soft text-xs">
        {names.map((name, at) => (
          <li key={name} className="flex items-center gap-1.5">
            <span className={`h-0.5 w-3 ${['bg-accent', 'bg-bad', 'bg-warn'][at]}`} />
            {name} <bdi>{format(series.lines[at]?.at(-1) ?? null)}</bdi>
          </li>
        ))}
      </ul>
    </>
  );
}

function toData({ times, lines }: PlotSeries): UPlot.AlignedData {
  return [times, ...lines] as unknown as UPlot.AlignedData;
}

function formatOf(kind: Plot, formats: ReturnType<typeof useConsoleTexts>['formats']): (value: number) => string {
  if (kind === 'memory') return formats.bytes;
  if (kind === 'cpu') return (value) => formats.number(value, { maximumSignificantDigits: 2 });
  if (kind === 'latency') {
    return (value) =>
      formats.number(value, {
        style: 'unit',
        unit: 'millisecond',
        unitDisplay: 'short',
        maximumFractionDigits: value < 10 ? 1 : 0,
      });
  }
  return (value) => formats.number(value, { maximumFractionDigits: 1 });
}
