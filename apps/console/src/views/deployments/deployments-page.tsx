import type { Deployment } from '@berth/contract';
import {
  Badge,
  type BadgeTone,
  CopyCommand,
  EmptyState,
  ErrorNote,
  MiddleText,
  Skeleton,
  VirtualTable,
} from '@berth/web';
import { useQuery } from '@tanstack/react-query';
import { Server } from 'lucide-react';
import { PageHead } from '../../shell/page-head.tsx';
import { useConsole } from '../../state/console-context.ts';
import { useConsoleTexts } from '../../text/use-console-texts.ts';

const TONES: Readonly<Record<Deployment['status'], BadgeTone>> = {
  building: 'busy',
  deploying: 'busy',
  ready: 'good',
  failed: 'bad',
  deleting: 'warn',
};

/** What is served, newest first. */
export function DeploymentsPage() {
  const { t, formats } = useConsoleTexts();
  const { client } = useConsole();
  const { data, error, refetch } = useQuery({
    queryKey: ['deployments'],
    queryFn: ({ signal }) => client.listDeployments({ signal }),
    refetchInterval: 5_000,
  });
  return (
    <>
      <PageHead title={t('deployments.title')}>
        <CopyCommand cli="npx berth ls" http={{ method: 'GET', path: '/v1/deployment/list' }} />
      </PageHead>
      {error && !data && <ErrorNote error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton rows={4} />}
      {data?.length === 0 && (
        <EmptyState
          icon={Server}
          title={t('deployments.empty.title')}
          text={t('deployments.empty.text')}
          command="npx berth deploy ./my-project"
        />
      )}
      {data && data.length > 0 && (
        <VirtualTable
          label={t('deployments.title')}
          rows={data}
          rowKey={({ name }) => name}
          columns={[
            {
              key: 'name',
              title: t('deployments.name'),
              track: 'minmax(0,2fr)',
              cell: ({ name }) => <MiddleText text={name} />,
            },
            {
              key: 'status',
              title: t('deployments.status'),
              track: '7rem',
              cell: ({ status }) => <Badge tone={TONES[status]} text={t(`deployments.status.${status}`)} />,
            },
            {
              key: 'address',
              title: t('deployments.address'),
              track: 'minmax(0,3fr)',
              isWideOnly: true,
              cell: ({ url }) => (
                <a href={url} target="_blank" rel="noreferrer" className="text-accent hover:underline">
                  <MiddleText text={url.replace(/^https?:\/\//, '')} />
                </a>
              ),
            },
            {
              key: 'updated',
              title: t('deployments.updated'),
              track: '9rem',
              isWideOnly: true,
              cell: ({ updated_at }) => (
                <span title={formats.time(updated_at)}>{formats.ago(updated_at, Date.now())}</span>
              ),
            },
          ]}
        />
      )}
    </>
  );
}
