import { Skeleton } from '@berth/ui';
import { useConsoleTexts } from '../../../text/use-console-texts.ts';
import { fillPoints } from '../../metrics/plot-series.ts';
import { rangeOf } from '../../metrics/plot-span.ts';
import { useMetrics } from '../../metrics/use-metrics.ts';
import { usePlotFormats } from '../../metrics/use-plot-formats.ts';
import { Sparkline } from './sparkline.tsx';
import { sumUp } from './sum-up.ts';

interface FiguresProps {
  readonly name: string;
  /** Instances that run now. */
  readonly instances: number;
}

/** Requests, error rate, latency and instances of the last hour, each as a number with a small line. */
export function Figures({ name, instances }: FiguresProps) {
  const { t, formats } = useConsoleTexts();
  const format = usePlotFormats();
  const { data, error, dataUpdatedAt } = useMetrics(name, {});
  if (!data) return error ? null : <Skeleton shape="figures" rows={4} />;
  const points = fillPoints(data.metrics, rangeOf({}, dataUpdatedAt || Date.now()));
  const { requests, errorRate, p95Ms } = sumUp(points);
  const percent = { style: 'percent', maximumFractionDigits: 1 } as const;
  const figures = [
    {
      title: t('overview.requests'),
      value: formats.number(requests),
      values: points.map((point) => point.requests),
      color: 'text-accent',
    },
    {
      title: t('overview.errorRate'),
      value: errorRate === null ? '–' : formats.number(errorRate, percent),
      values: points.map((point) => (point.requests === 0 ? 0 : point.errors / point.requests)),
      color: 'text-bad',
    },
    {
      title: t('overview.latency'),
      value: format('latency', p95Ms),
      values: points.map((point) => (point.requests === 0 ? null : point.p95_ms)),
      color: 'text-accent',
    },
    {
      title: t('deployments.instances'),
      value: formats.number(instances),
      values: points.map((point) => point.instances),
      color: 'text-accent',
    },
  ];
  return (
    <dl aria-label={t('overview.figures')} className="grid grid-cols-2 gap-3 lg:grid-cols-4">
      {figures.map(({ title, value, values, color }) => (
        <div key={title} className="min-w-0 rounded-lg border border-line p-3">
          <dt className="truncate text-ink-soft text-xs">{title}</dt>
          <dd className="mt-1 flex items-end justify-between gap-4">
            <bdi className="whitespace-nowrap font-semibold text-lg tabular-nums">{value}</bdi>
            <Sparkline values={values} color={color} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
