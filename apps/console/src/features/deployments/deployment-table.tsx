import type { Activity, Deployment } from '@berth/contract';
import { type Column, MiddleText, PageMenu, Time, VirtualTable } from '@berth/ui';
import { Link } from '@tanstack/react-router';
import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useRights } from '../../api/use-rights.ts';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import { useDeployWords } from '../deploys/views/use-deploy-words.ts';
import { DeleteDeployment } from './delete-deployment.tsx';
import { StatusBadge } from './status-badge.tsx';
import { useDeploymentActions } from './use-deployment-actions.ts';

interface DeploymentTableProps {
  readonly rows: readonly Deployment[];
  /** Activity by name; deployments without an entry have not been counted yet. */
  readonly activity: ReadonlyMap<string, Activity['deployments'][number]>;
}

/** Shown in a cell without a figure. */
const NONE = <span className="text-ink-soft">–</span>;

/** Table of deployments with their status, recent traffic and a menu each. */
export function DeploymentTable({ rows, activity }: DeploymentTableProps) {
  const { t, formats } = useConsoleTexts();
  const words = useDeployWords();
  const actionsOf = useDeploymentActions();
  const canDeploy = useRights().can('deploy');
  const [deleting, setDeleting] = useState<string>();
  const columns: readonly Column<Deployment>[] = [
    {
      title: t('shell.name'),
      track: 'minmax(0,2fr)',
      cell: ({ name, url }) => (
        <span className="flex min-w-0 flex-col">
          <Link
            to="/deployments/$name"
            params={{ name }}
            className="inline-flex max-w-full font-medium leading-6 hover:underline"
          >
            <MiddleText text={name} />
          </Link>
          <a
            href={url}
            target="_blank"
            rel="noreferrer"
            className="inline-flex max-w-full text-accent text-xs leading-6 hover:underline md:hidden"
          >
            <MiddleText text={url.replace(/^https?:\/\//, '')} />
          </a>
        </span>
      ),
    },
    {
      title: t('deployments.kind'),
      track: '4.5rem',
      isWideOnly: true,
      cell: ({ kind = 'service' }) => t(`deployments.kind.${kind}`),
    },
    {
      title: t('deployments.status'),
      track: '8rem',
      cell: ({ status, instances, revision }) => (
        <span className="flex flex-col items-start gap-0.5">
          <StatusBadge status={status} />
          <span className="max-w-full truncate text-ink-soft text-xs">
            {status === 'ready' && instances === 0 && t('deployments.scaledToZero')}
            {status === 'ready' && instances > 0 && t('deployments.running', { count: instances })}
            {status === 'failed' && t(revision === null ? 'deployments.nothingLive' : 'deployments.previousLive')}
          </span>
        </span>
      ),
    },
    {
      title: t('deployments.activity'),
      track: '8rem',
      isNumeric: true,
      isWideOnly: true,
      cell: ({ name }) => <Sparkline activity={activity.get(name)} />,
    },
    {
      title: t('deployments.errors'),
      track: '3.5rem',
      isNumeric: true,
      isWideOnly: true,
      cell: ({ name }) => {
        const count = activity.get(name)?.errors.reduce((sum, value) => sum + value, 0);
        if (count === undefined) return NONE;
        return <span className={count > 0 ? 'font-medium text-bad' : 'text-ink-soft'}>{formats.number(count)}</span>;
      },
    },
    {
      title: t('deployments.p95'),
      track: '4.5rem',
      isNumeric: true,
      isWideOnly: true,
      cell({ name }) {
        const ms = activity.get(name)?.p95_ms;
        return ms == null ? NONE : formats.span(ms, 'ms');
      },
    },
    {
      title: t('deployments.url'),
      track: 'minmax(0,3fr)',
      isWideOnly: true,
      cell: ({ url }) => (
        <a href={url} target="_blank" rel="noreferrer" className="inline-flex max-w-full text-accent hover:underline">
          <MiddleText text={url.replace(/^https?:\/\//, '')} />
        </a>
      ),
    },
    {
      title: t('deployments.lastDeploy'),
      track: '9rem',
      isWideOnly: true,
      cell: ({ last_deploy, updated_at }) => (
        <span className="flex flex-col">
          <Time at={last_deploy?.created_at ?? updated_at} />
          {last_deploy?.actor && (
            <bdi className="from-start truncate text-ink-soft text-xs">{words.who(last_deploy.actor)}</bdi>
          )}
        </span>
      ),
    },
    {
      title: t('parts.more'),
      isTitleHidden: true,
      track: '2.75rem',
      cell: (deployment) => (
        <PageMenu
          label={t('shell.actionsFor', { name: deployment.name })}
          items={[
            ...actionsOf(deployment),
            ...(canDeploy
              ? [
                  {
                    ...{ label: t('deployment.delete'), icon: Trash2, isDanger: true },
                    onChoose: () => setDeleting(deployment.name),
                  },
                ]
              : []),
          ]}
          commands={[
            {
              cli: `npx berth get ${deployment.name}`,
              http: { method: 'GET', path: `/v1/deployment/${encodeURIComponent(deployment.name)}` },
            },
          ]}
        />
      ),
    },
  ];
  return (
    <>
      <VirtualTable label={t('nav.deployments')} rows={rows} columns={columns} rowKey={({ name }) => name} isTall />
      {deleting !== undefined && <DeleteDeployment name={deleting} onClose={() => setDeleting(undefined)} />}
    </>
  );
}

const WIDTH = 80;
const HEIGHT = 20;

/** Bars of the requests in the last hour, failed ones in their own color, with both totals as text. */
function Sparkline({ activity }: { readonly activity: Activity['deployments'][number] | undefined }) {
  const { t, formats } = useConsoleTexts();
  if (!activity) return NONE;
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
    <span className="inline-flex items-center justify-end gap-2 align-middle" title={words}>
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
      <span aria-hidden className="min-w-8">
        {formats.number(count, { notation: 'compact' })}
      </span>
    </span>
  );
}
