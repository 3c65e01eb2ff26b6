import type { Activity, Deployment } from '@berth/contract';
import { type Column, MiddleText, VirtualTable } from '@berth/ui';
import { Link } from '@tanstack/react-router';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import { Sparkline } from './sparkline.tsx';
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
      title: t('deployments.name'),
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
  return <VirtualTable label={t('deployments.title')} rows={rows} columns={columns} rowKey={({ name }) => name} />;
}
