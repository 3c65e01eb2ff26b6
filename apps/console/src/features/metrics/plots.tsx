import { Button, CopyCode, ErrorNote, quote, Skeleton, useCommand } from '@berth/ui';
import { getRouteApi } from '@tanstack/react-router';
import { ChartLine, Table2 } from 'lucide-react';
import { lazy, Suspense, useMemo, useState } from 'react';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import { ColdStartBar } from './cold-start-bar.tsx';
import { MetricsTable } from './metrics-table.tsx';
import { fillPoints, PLOTS, type Plot, plotSeries } from './plot-series.ts';
import { type PlotSpan, rangeOf, spanBetween, toQuery } from './plot-span.ts';
import { RangeBar } from './range-bar.tsx';
import { useMetrics } from './use-metrics.ts';

const LinePlot = lazy(async () => ({ default: (await import('./line-plot.tsx')).LinePlot }));

const route = getRouteApi('/deployments/$name');

/** Plots of a deployment's traffic and resource use. The address holds the time span. */
export function Plots({ name, url }: { readonly name: string; readonly url: string }) {
  const { t } = useConsoleTexts();
  const { tab: _, deploy: __, ...span } = route.useSearch();
  const navigate = route.useNavigate();
  const [isTable, setTable] = useState(false);
  const query = toQuery(span);
  const { data, error, refetch, dataUpdatedAt, isPlaceholderData } = useMetrics(name, span);
  const shown = useMemo(() => {
    if (!data) return undefined;
    const { metrics } = data;
    const points = fillPoints(metrics, rangeOf(data.span, dataUpdatedAt || Date.now()));
    const series = Object.fromEntries(PLOTS.map((plot) => [plot, plotSeries(plot, points, metrics.step_seconds)]));
    return { metrics, points, series: series as Record<Plot, ReturnType<typeof plotSeries>> };
  }, [data, dataUpdatedAt]);
  const names = useLineNames();
  const setSpan = (next: PlotSpan) => void navigate({ search: next, replace: true, resetScroll: false });
  const flags = Object.entries(query).map(([flag, value]) => `--${flag} ${value}`);
  useCommand({
    label: t('plots.label'),
    cli: `npx berth metrics ${name} ${flags.join(' ')}`,
    http: { method: 'GET', path: `/v1/deployment/metrics?${new URLSearchParams({ name, ...query })}` },
  });
  return (
    <section className="flex flex-col gap-4">
      <div className="flex flex-wrap items-start gap-2">
        <div className="min-w-0 flex-1 basis-72">
          <RangeBar span={span} onSpan={setSpan} />
        </div>
        <Button look="quiet" onClick={() => setTable(!isTable)}>
          {isTable ? <ChartLine aria-hidden className="size-4" /> : <Table2 aria-hidden className="size-4" />}
          {isTable ? t('plots.plots') : t('plots.table')}
        </Button>
      </div>
      {error && <ErrorNote error={error} onRetry={() => void refetch()} />}
      {shown?.metrics.points.length === 0 && (
        <div className="flex flex-col gap-2 text-ink-soft">
          <p>{t('deployment.noTraffic')}</p>
          <CopyCode code={`curl ${quote(url)}`} />
        </div>
      )}
      {isTable && !shown && !error && <Skeleton rows={6} />}
      {isTable && shown && <MetricsTable points={shown.points} stepSeconds={shown.metrics.step_seconds} />}
      {!isTable && (
        <div
          aria-busy={isPlaceholderData}
          className={`grid gap-x-8 gap-y-6 md:grid-cols-2 ${isPlaceholderData ? 'opacity-60' : ''}`}
        >
          {PLOTS.map((plot) => (
            <figure key={plot} className="min-w-0">
              <figcaption className="mb-2 font-medium">{t(`deployment.plot.${plot}`)}</figcaption>
              <div className="min-h-36">
                {shown ? (
                  <Suspense>
                    <LinePlot
                      title={t(`deployment.plot.${plot}`)}
                      names={names[plot]}
                      kind={plot}
                      series={shown.series[plot]}
                      // The last selected point covers its whole step.
                      onRange={(fromMs, toMs) => setSpan(spanBetween(fromMs, toMs + shown.metrics.step_seconds * 1000))}
                    />
                  </Suspense>
                ) : (
                  !error && <Skeleton shape="plot" />
                )}
              </div>
            </figure>
          ))}
        </div>
      )}
      {!isTable && <p className="text-ink-soft text-xs max-md:hidden">{t('plots.hint')}</p>}
      {shown && <ColdStartBar points={shown.points} />}
    </section>
  );
}

function useLineNames(): Readonly<Record<Plot, readonly string[]>> {
  const { t } = useConsoleTexts();
  return {
    requests: [t('deployment.line.requests'), t('deployment.line.errors')],
    latency: ['p50', 'p95', 'p99'],
    instances: [t('deployment.line.instances')],
    cpu: [t('deployment.line.cpu')],
    memory: [t('deployment.line.mean'), t('deployment.line.most')],
    coldStarts: [t('deployment.line.coldStarts')],
  };
}
