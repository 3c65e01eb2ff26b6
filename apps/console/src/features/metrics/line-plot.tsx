import 'uplot/dist/uPlot.min.css';
import { useEffect, useRef, useState } from 'react';
import UPlot from 'uplot';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import type { Plot, PlotSeries } from './plot-series.ts';
import { axisWidth, tickSteps } from './plot-ticks.ts';
import { usePlotFormats, useTickFormats } from './use-plot-formats.ts';

interface LinePlotProps {
  readonly title: string;
  /** Names of the lines, in order. */
  readonly names: readonly string[];
  readonly kind: Plot;
  readonly series: PlotSeries;
  /** Called with the selected time range in epoch milliseconds. */
  onRange(fromMs: number, toMs: number): void;
}

/** Theme tokens of the line colors, which differ in lightness too. Red is for errors alone. */
const COLOURS = ['accent', 'warn', 'ink-soft'] as const;
const COLOURS_WITH_ERRORS = ['accent', 'bad'] as const;
const LINE_CLASSES = { accent: 'bg-accent', warn: 'bg-warn', bad: 'bg-bad', 'ink-soft': 'bg-ink-soft' } as const;
const HEIGHT_PX = 116;
/** Minimum width of a selection; a shorter drag counts as a click. */
const DRAWN_MIN_PX = 6;

/** Line plot over time with a crosshair shared by all plots. A screen reader gets the same figures. */
export function LinePlot({ title, names, kind, series, onRange }: LinePlotProps) {
  const { t, formats, language, direction } = useConsoleTexts();
  const placeRef = useRef<HTMLDivElement>(null);
  const plotRef = useRef<UPlot>(undefined);
  const onRangeRef = useRef(onRange);
  onRangeRef.current = onRange;
  const [pointed, setPointed] = useState<number | null>(null);
  const figure = usePlotFormats();
  const ticks = useTickFormats();
  const colours = kind === 'requests' ? COLOURS_WITH_ERRORS : COLOURS;
  const format = (value: number | null | undefined) => figure(kind, value);
  const at = pointed !== null && pointed < series.times.length ? pointed : series.times.length - 1;
  const last = names.map((name, line) => `${name} ${format(series.lines[line]?.at(-1))}`).join(', ');

  // biome-ignore lint/correctness/useExhaustiveDependencies: new values are set on the existing plot
  useEffect(() => {
    const place = placeRef.current as HTMLDivElement;
    const style = getComputedStyle(document.documentElement);
    // A token may be a CSS function of the color scheme, which a canvas can't resolve; an element can.
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
        cursor: {
          y: false,
          points: { show: false },
          sync: { key: 'deployment', setSeries: false },
          drag: { x: true, y: false, setScale: false },
        },
        hooks: {
          setCursor: [({ cursor }) => setPointed(cursor.idx ?? null)],
          setSelect: [
            (drawn) => {
              const { left, width } = drawn.select;
              if (width < DRAWN_MIN_PX) return;
              drawn.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
              onRangeRef.current(drawn.posToVal(left, 'x') * 1000, drawn.posToVal(left + width, 'x') * 1000);
            },
          ],
        },
        scales: { y: { range: (_, __, max) => [0, max > 0 ? max * 1.1 : 1] } },
        axes: [
          {
            ...axis,
            size: 24,
            space: 72,
            values: (_, times, __, ___, step) => times.map((s) => (step >= 86_400 ? day : time).format(s * 1000)),
          },
          {
            ...axis,
            incrs: tickSteps(kind),
            size: (_, labels) => axisWidth(labels),
            values: (_, values) => ticks(kind, values),
          },
        ],
        series: [
          {},
          ...names.map((label, line) => ({
            label,
            stroke: colour(`--${colours[line] ?? 'ink'}`),
            width: 1.5,
            // A single value between two gaps has no line, so it is drawn as a point.
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
        // Time runs from left to right; texts along the axis keep the direction of the language.
        dir="ltr"
        role="img"
        aria-label={t('deployment.plot.said', { title, values: last })}
        className={direction === 'rtl' ? '[&_canvas]:[direction:rtl]' : ''}
      />
      <ul aria-hidden className="mt-1 flex flex-wrap gap-x-4 text-ink-soft text-xs">
        {names.map((name, line) => (
          <li key={name} className="flex items-center gap-1.5">
            <span className={`h-0.5 w-3 ${LINE_CLASSES[colours[line] ?? 'accent']}`} />
            {name} <bdi className="tabular-nums">{format(series.lines[line]?.[at])}</bdi>
          </li>
        ))}
        {pointed !== null && <li className="ms-auto tabular-nums">{formats.time((series.times[at] ?? 0) * 1000)}</li>}
      </ul>
    </>
  );
}

function toData({ times, lines }: PlotSeries): UPlot.AlignedData {
  return [times, ...lines] as unknown as UPlot.AlignedData;
}
