import type { SessionRow } from '@berth/contract';
import { Badge, Button, type Column, CopyCommand, ErrorNote, Skeleton, VirtualTable } from '@berth/ui';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useConsole } from '../../api/console-context.ts';
import { QUERY_KEYS } from '../../api/query-keys.ts';
import { PageHead } from '../../components/page-head.tsx';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import { EndSessionDialog } from './end-session-dialog.tsx';
import { UserAgent } from './user-agent.tsx';

/** Page of the person's sessions. */
export function SessionsPage() {
  const { t, formats } = useConsoleTexts();
  const { client } = useConsole();
  const { data, error, refetch } = useQuery({
    queryKey: QUERY_KEYS.sessions,
    queryFn: ({ signal }) => client.get('/v1/user/sessions', { signal }),
  });
  const [ending, setEnding] = useState<string>();
  const columns: readonly Column<SessionRow>[] = [
    {
      key: 'device',
      title: t('sessions.device'),
      track: 'minmax(0,3fr)',
      cell: ({ user_agent }) => <UserAgent text={user_agent} />,
    },
    {
      key: 'address',
      title: t('sessions.address'),
      track: 'minmax(0,1fr)',
      isWideOnly: true,
      cell: ({ address }) => <bdi>{address ?? t('sessions.unknown')}</bdi>,
    },
    {
      key: 'begun',
      title: t('sessions.begun'),
      track: '12rem',
      isWideOnly: true,
      cell: ({ created_at }) => formats.time(created_at),
    },
    {
      key: 'used',
      title: t('sessions.used'),
      track: '8rem',
      isWideOnly: true,
      cell: ({ last_used_at, created_at }) => formats.ago(last_used_at ?? created_at, Date.now()),
    },
    {
      key: 'end',
      title: t('sessions.end'),
      isTitleHidden: true,
      track: '6.5rem',
      cell: ({ id, is_current }) =>
        is_current ? (
          <Badge tone="good" text={t('sessions.current')} />
        ) : (
          <Button look="quiet" className="text-bad" onClick={() => setEnding(id)}>
            {t('sessions.end')}
          </Button>
        ),
    },
  ];
  return (
    <>
      <PageHead title={t('sessions.title')}>
        <CopyCommand cli="npx berth sessions ls" http={{ method: 'GET', path: '/v1/user/sessions' }} secret="session" />
        {data && data.length > 1 && <Button onClick={() => setEnding('others')}>{t('sessions.endOthers')}</Button>}
      </PageHead>
      {error && !data && <ErrorNote error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton rows={2} />}
      {data && <VirtualTable label={t('sessions.title')} rows={data} columns={columns} rowKey={({ id }) => id} />}
      {ending !== undefined && <EndSessionDialog id={ending} onClose={() => setEnding(undefined)} />}
    </>
  );
}
