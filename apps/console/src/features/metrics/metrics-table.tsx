import type { MetricsPoint } from '@berth/contract';
import { type Column, VirtualTable } from '@berth/ui';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import { usePlotFormats } from './use-plot-formats.ts';

interface MetricsTableProps {
  /** Points, oldest first. */
  readonly points: readonly MetricsPoint[];
  readonly stepSeconds: number;
}

/** Table of the plotted figures, newest first. Leaves out steps without requests or instances. */
export function MetricsTable({ points, stepSeconds }: MetricsTableProps) {
  const { t, formats, language } = useConsoleTexts();
  const format = usePlotFormats();
  const short = new Intl.DateTimeFormat(language, {
    month: 'short',
    day: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
  });
  const rows = points
    .filter(({ requests, instances, cpu_seconds }) => requests > 0 || instances > 0 || cpu_seconds > 0)
    .toReversed();
  const column = (title: string, cell: (point: MetricsPoint) => string, isWideOnly = true) =>
    ({
      title,
      track: isWideOnly ? 'minmax(0,1fr)' : 'minmax(0,1.2fr)',
      isWideOnly,
      cell,
    }) satisfies Column<MetricsPoint>;
  const latency = (key: 'p50_ms' | 'p95_ms' | 'p99_ms', isWideOnly?: boolean) =>
    column(key.slice(0, 3), (point) => format('latency', point.requests === 0 ? null : point[key]), isWideOnly);
  const columns: readonly Column<MetricsPoint>[] = [
    {
      title: t('audit.time'),
      track: 'minmax(0,2fr)',
      cell: ({ time }) => <span title={formats.time(time)}>{short.format(Date.parse(time))}</span>,
    },
    column(t('deployment.line.requests'), ({ requests }) => formats.number(requests), false),
    column(t('deployment.line.errors'), ({ errors }) => formats.number(errors), false),
    latency('p50_ms'),
    latency('p95_ms', false),
    latency('p99_ms'),
    column(t('deployment.line.instances'), ({ instances }) => formats.number(instances)),
    column(t('deployment.line.cpu'), ({ cpu_seconds }) => format('cpu', cpu_seconds / stepSeconds)),
    column(t('deployment.plot.memory'), ({ memory_bytes }) => format('memory', memory_bytes || null)),
    column(t('deployment.line.coldStarts'), ({ cold_starts }) => formats.number(cold_starts)),
  ];
  return <VirtualTable label={t('plots.tableLabel')} rows={rows} columns={columns} rowKey={({ time }) => time} />;
}
