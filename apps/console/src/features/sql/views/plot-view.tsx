import { useConsoleTexts } from '../../../text/use-console-texts.ts';
import type { Plot } from '../state/to-plot.ts';

/** Style of each series. The legend marks them with different shapes too. */
const LOOKS = [
  { stroke: 'stroke-accent', fill: 'fill-accent', dash: '' },
  { stroke: 'stroke-bad', fill: 'fill-bad', dash: '6 3' },
  { stroke: 'stroke-good', fill: 'fill-good', dash: '2 3' },
  { stroke: 'stroke-warn', fill: 'fill-warn', dash: '10 3 2 3' },
  { stroke: 'stroke-ink-soft', fill: 'fill-ink-soft', dash: '1 4' },
  { stroke: 'stroke-line-strong', fill: 'fill-line-strong', dash: '12 6' },
] as const;
const WIDTH = 1_000;
const HEIGHT = 240;
/** Maximum number of bars; beyond it, they would be thinner than the gaps. */
const BARS_MOST = 60;
/** Maximum width of a bar, so that few bars don't fill the plot. */
const BAR_WIDEST = 80;

/** How a plot is drawn. */
export type PlotKind = 'lines' | 'bars';

interface PlotViewProps {
  readonly plot: Plot;
  /** `bars` falls back to lines if there are too many bars. */
  readonly kind: PlotKind;
}

/** Plot of rows as lines or bars. */
export function PlotView({ plot, kind }: PlotViewProps) {
  const { t, formats } = useConsoleTexts();
  const { x, series, most, least } = plot;
  const count = x.values.length;
  const span = most - least || 1;
  const y = (value: number) => HEIGHT - ((value - least) / span) * HEIGHT;
  const isBars = kind === 'bars' && count <= BARS_MOST;
  const firstMs = Date.parse(x.values[0] ?? '');
  const spanMs = Date.parse(x.values.at(-1) ?? '') - firstMs || 1;
  const atX = (index: number) => {
    if (!x.isTime || count === 1) return ((index + 0.5) / count) * WIDTH;
    return ((Date.parse(x.values[index] ?? '') - firstMs) / spanMs) * WIDTH;
  };
  const label = (value = '') => (x.isTime ? formats.time(value) : value);
  const ends = [label(x.values[0]), label(x.values.at(-1))];
  return (
    <figure className="rounded-md border border-line bg-raised p-3" dir="ltr">
      <figcaption className="mb-2 flex flex-wrap gap-4 text-xs">
        {series.map(({ name }, index) => (
          <span key={name} className="inline-flex items-center gap-1.5">
            <svg aria-hidden className="h-2 w-5" viewBox="0 0 20 8">
              <line
                x1={0}
                x2={20}
                y1={4}
                y2={4}
                strokeWidth={3}
                strokeDasharray={LOOKS[index]?.dash}
                className={LOOKS[index]?.stroke ?? ''}
              />
            </svg>
            <span className="font-mono">{name}</span>
          </span>
        ))}
      </figcaption>
      <div className="flex gap-2">
        <div aria-hidden className="flex flex-col justify-between text-end text-xs text-ink-soft">
          <span>{formats.number(most)}</span>
          <span>{formats.number(least)}</span>
        </div>
        <svg
          role="img"
          aria-label={`${t('sql.plot')}: ${series.map(({ name }) => name).join(', ')} / ${x.name}`}
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
          preserveAspectRatio="none"
          className="h-60 min-w-0 flex-1"
        >
          <line x1={0} x2={WIDTH} y1={y(0)} y2={y(0)} vectorEffect="non-scaling-stroke" className="stroke-line" />
          {series.map(({ name, values }, of) =>
            isBars ? (
              <g key={name} className={LOOKS[of]?.fill}>
                {values.map((value, index) => {
                  const width = Math.min((WIDTH / count) * (0.8 / series.length), BAR_WIDEST);
                  const left = ((index + 0.5) / count) * WIDTH + (of - series.length / 2) * width;
                  return (
                    <rect
                      // biome-ignore lint/suspicious/noArrayIndexKey: names may repeat and never move
                      key={index}
                      x={left}
                      width={width}
                      y={Math.min(y(value), y(0))}
                      height={Math.abs(y(value) - y(0))}
                    >
                      <title>{`${label(x.values[index])}: ${formats.number(value)}`}</title>
                    </rect>
                  );
                })}
              </g>
            ) : (
              <polyline
                key={name}
                fill="none"
                strokeWidth={1.5}
                strokeDasharray={LOOKS[of]?.dash}
                vectorEffect="non-scaling-stroke"
                className={LOOKS[of]?.stroke ?? ''}
                points={values.map((value, index) => `${atX(index).toFixed(1)},${y(value).toFixed(1)}`).join(' ')}
              />
            ),
          )}
        </svg>
      </div>
      <div className="mt-1 flex justify-between gap-4 ps-8 text-xs text-ink-soft">
        {isBars ? (
          x.values.map((value, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: names may repeat and never move
            <span key={index} title={label(value)} className="min-w-0 flex-1 truncate text-center">
              {label(value)}
            </span>
          ))
        ) : (
          <>
            <span className="truncate">{ends[0]}</span>
            <span className="truncate">{ends[1]}</span>
          </>
        )}
      </div>
    </figure>
  );
}
