import type { Activity, Deployment } from '@berth/contract';
import { type Column, classNames, MiddleText, VirtualTable } from '@berth/ui';
import { Link } from '@tanstack/react-router';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import { StatusBadge } from './status-badge.tsx';

interface DeploymentTableProps {
  readonly rows: readonly Deployment[];
  /** Activity by name; deployments without an entry have not been counted yet. */
  readonly activity: ReadonlyMap<string, Activity['deployments'][number]>;
}

/** Table of deployments with their status and recent traffic. */
export function DeploymentTable({ rows, activity }: DeploymentTableProps) {
  const { t, formats } = useConsoleTexts();
  const columns: readonly Column<Deployment>[] = [
    {
      title: t('shell.name'),
      track: 'minmax(0,2fr)',
      cell: ({ name }) => (
        <Link to="/deployments/$name" params={{ name }} className="inline-flex max-w-full font-medium hover:underline">
          <MiddleText text={name} />
        </Link>
      ),
    },
    {
      title: t('deployments.status'),
      track: '7rem',
      cell: ({ status }) => <StatusBadge status={status} />,
    },
    {
      title: t('deployments.instances'),
      track: '5rem',
      isWideOnly: true,
      cell: ({ instances }) => formats.number(instances),
    },
    {
      title: t('deployments.activity'),
      track: '8rem',
      isWideOnly: true,
      cell: ({ name }) => <Sparkline activity={activity.get(name)} />,
    },
    {
      title: t('deployments.address'),
      track: 'minmax(0,2fr)',
      isWideOnly: true,
      cell: ({ url }) => (
        <a href={url} target="_blank" rel="noreferrer" className="inline-flex max-w-full text-accent hover:underline">
          <MiddleText text={url.replace(/^https?:\/\//, '')} />
        </a>
      ),
    },
    {
      title: t('deployments.updated'),
      track: '9rem',
      isWideOnly: true,
      cell: ({ updated_at }) => <span title={formats.time(updated_at)}>{formats.ago(updated_at, Date.now())}</span>,
    },
  ];
  return <VirtualTable label={t('nav.deployments')} rows={rows} columns={columns} rowKey={({ name }) => name} />;
}

const WIDTH = 80;
const HEIGHT = 20;

/** Bars of the requests in the last hour, failed ones in their own color, with both totals as text. */
function Sparkline({ activity }: { readonly activity: Activity['deployments'][number] | undefined }) {
  const { t, formats } = useConsoleTexts();
  if (!activity) return null;
  const { requests, errors } = activity;
  const count = requests.reduce((sum, value) => sum + value, 0);
  const failed = errors.reduce((sum, value) => sum + value, 0);
  const most = Math.max(1, ...requests);
  const step = WIDTH / requests.length;
  const bars = (values: readonly number[]) =>
    values
      .map((value, at) => ({ x: at * step, height: (value / most) * HEIGHT }))
      .filter(({ height }) => height > 0)
      .map(
        ({ x, height }) =>
          `M${x.toFixed(2)} ${HEIGHT}v${(-Math.max(1, height)).toFixed(2)}h${step.toFixed(2)}V${HEIGHT}z`,
      )
      .join('');
  const words = t('deployments.activity.said', { count, errors: failed });
  return (
    <span className="inline-flex items-center gap-2" title={words}>
      <span className="sr-only">{words}</span>
      <svg
        aria-hidden="true"
        width={WIDTH}
        height={HEIGHT}
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        className="rtl:-scale-x-100"
      >
        <path d={bars(requests)} className="fill-accent" />
        <path d={bars(errors)} className="fill-bad" />
      </svg>
      <span aria-hidden className={classNames('text-xs', failed > 0 ? 'text-bad' : 'text-ink-soft')}>
        {formats.number(count, { notation: 'compact' })}
      </span>
    </span>
  );
}
