import type { DeploymentDetail, Instance } from '@berth/contract';
import {
  Badge,
  type BadgeTone,
  buttonClass,
  type Column,
  EmptyState,
  MiddleText,
  NameWithId,
  Time,
  useCommand,
  VirtualTable,
} from '@berth/ui';
import { Link } from '@tanstack/react-router';
import { Boxes, ScrollText, SquareTerminal } from 'lucide-react';
import { useInstances } from '../../api/shared-lists.ts';
import { useRights } from '../../api/use-rights.ts';
import { Loaded } from '../../components/loaded.tsx';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import { filterBy } from '../logs/state/filter-by.ts';
import { revisionNumber } from './overview/status-sentence.ts';

const TONES: Readonly<Record<Instance['state'], BadgeTone>> = {
  starting: 'busy',
  ready: 'good',
  unready: 'bad',
  suspended: 'neutral',
  resuming: 'busy',
  draining: 'warn',
};

/** Tab with the deployment's instances and their load, each with its terminal and its logs. */
export function InstancesTab({ deployment: { name } }: { readonly deployment: DeploymentDetail }) {
  const { t, formats } = useConsoleTexts();
  const { can } = useRights();
  const instances = useInstances(name);
  const hasServers = instances.data?.some(({ server }) => server !== null) === true;
  useCommand({
    label: t('deployment.tab.instances'),
    cli: `npx berth ps ${name}`,
    http: { method: 'GET', path: `/v1/deployment/instances?name=${encodeURIComponent(name)}` },
  });
  const columns: readonly Column<Instance>[] = [
    {
      title: t('instance'),
      track: 'minmax(0,2fr)',
      cell: ({ instance }) => (
        <NameWithId id={instance}>
          <MiddleText text={instance} />
        </NameWithId>
      ),
    },
    {
      title: t('instance.state'),
      track: 'minmax(6.5rem,1fr)',
      cell: ({ state, busy }) => {
        const text = t(`instance.${state}`);
        return <Badge tone={TONES[state]} text={busy ? t('instance.busy', { state: text }) : text} />;
      },
    },
    {
      title: t('deployment.revision'),
      track: '5rem',
      isWideOnly: true,
      cell: ({ revision }) => <span title={revision}>{revisionNumber(revision)}</span>,
    },
    ...(hasServers
      ? [{ title: t('instance.server'), isWideOnly: true, cell: ({ server }: Instance) => <bdi>{server}</bdi> }]
      : []),
    { title: t('instance.started'), isWideOnly: true, cell: ({ started_at: at }) => <Time at={at} /> },
    {
      title: t('instance.cpu'),
      ...{ track: '4rem', isNumeric: true, isWideOnly: true },
      cell: ({ cpu }) => (cpu === null ? '–' : formats.number(cpu, { maximumFractionDigits: 2 })),
    },
    {
      title: t('instance.memory'),
      ...{ track: '6rem', isNumeric: true, isWideOnly: true },
      cell: ({ memory_bytes: bytes }) => (bytes === null ? '–' : formats.bytes(bytes)),
    },
    {
      title: t('instance.actions'),
      ...{ track: 'min(14rem,30%)', isTitleHidden: true },
      cell: ({ instance }) => (
        <span className="flex justify-end gap-1">
          {can('exec') && (
            <Link
              to="/deployments/$name"
              params={{ name }}
              search={{ tab: 'terminal', instance }}
              className={buttonClass('quiet')}
            >
              <SquareTerminal aria-hidden className="size-4 sm:hidden" />
              <span className="max-sm:sr-only">{t('instance.terminal')}</span>
            </Link>
          )}
          {can('logs') && (
            <Link
              to="/logs"
              search={{ deployment: name, filter: filterBy('', 'resource.labels.instance_id', instance) } as never}
              className={buttonClass('quiet')}
            >
              <ScrollText aria-hidden className="size-4 sm:hidden" />
              <span className="max-sm:sr-only">{t('instance.logs')}</span>
            </Link>
          )}
        </span>
      ),
    },
  ];
  return (
    <Loaded
      query={instances}
      rows={3}
      empty={
        <EmptyState
          icon={Boxes}
          title={t('instance.none')}
          text={t('instance.noneText')}
          command={`npx berth ps ${name}`}
        />
      }
    >
      {(rows) => (
        <VirtualTable
          label={t('deployment.tab.instances')}
          rows={rows}
          columns={columns}
          rowKey={({ instance }) => instance}
        />
      )}
    </Loaded>
  );
}
