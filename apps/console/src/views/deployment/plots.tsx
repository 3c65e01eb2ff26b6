import type { MetricsWindow } from '@berth/contract';
import { CopyCode, CopyCommand, ErrorNote, quote, Select } from '@berth/web';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { useConsole } from '../../state/console-context.ts';
import { METRICS_WINDOW_MS } from '../../state/deployments/metrics-windows.ts';
import { PLOTS, type Plot, plotSeries } from '../../state/deployments/plot-series.ts';
import { useConsoleTexts } from '../../text/use-console-texts.ts';

const LinePlot = lazy(async () => ({ default: (await import('./line-plot.tsx')).LinePlot }));
const WINDOWS = Object.keys(METRICS_WINDOW_MS) as MetricsWindow[];

/** What a deployment served and used over time. */
export function Plots({ name, url }: { readonly name: string; readonly url: string }) {
  const { t } = useConsoleTexts();
  const { client } = useConsole();
  const [window, setWindow] = useState<MetricsWindow>('1h');
  const { data, error, refetch, dataUpdatedAt } = useQuery({
    queryKey: ['deployment', name, 'metrics', window],
    queryFn: ({ signal }) => client.metrics(name, window, { signal }),
    refetchInterval: 15_000,
  });
  const names = useLineNames();
  return (
    <section className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center gap-2">
        <Select<MetricsWindow>
          className="me-auto w-36"
          label={t('deployment.window')}
          isLabelHidden
          value={window}
          onChange={setWindow}
          options={WINDOWS.map((value) => ({ value, label: t(`deployment.window.${value}`) }))}
        />
        <CopyCommand
          cli={`npx berth metrics ${name} --window ${window}`}
          http={{ method: 'GET', path: `/v1/deployment/metrics?${new URLSearchParams({ name, window })}` }}
        />
      </div>
      {error && !data && <ErrorNote error={error} onRetry={() => void refetch()} />}
      {data?.points.length === 0 && (
        <div className="flex flex-col gap-2 text-ink-soft">
          <p>{t('deployment.noTraffic')}</p>
          <CopyCode code={`curl ${quote(url)}`} />
        </div>
      )}
      <div className="grid gap-x-8 gap-y-6 md:grid-cols-2">
        {PLOTS.map((plot) => (
          <figure key={plot} className="min-w-0">
            <figcaption className="mb-2 font-medium">{t(`deployment.plot.${plot}`)}</figcaption>
            <div className="h-40">
              {data && (
                <Suspense>
                  <LinePlot
                    title={t(`deployment.plot.${plot}`)}
                    names={names[plot]}
                    kind={plot}
                    series={plotSeries(plot, data, window, dataUpdatedAt)}
                  />
                </Suspense>
              )}
            </div>
          </figure>
        ))}
      </div>
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
