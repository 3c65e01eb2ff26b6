import type { SessionRow } from '@berth/contract';
import { Badge, Button, type Column, CopyCommand, ErrorNote, Skeleton, useTell, VirtualTable } from '@berth/web';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { PageHead } from '../../shell/page-head.tsx';
import { useConsole } from '../../state/console-context.ts';
import { useConsoleTexts } from '../../text/use-console-texts.ts';

/** Where the person is signed in. */
export function SessionsPage() {
  const { t, formats } = useConsoleTexts();
  const { client } = useConsole();
  const queries = useQueryClient();
  const tell = useTell();
  const { data, error, refetch } = useQuery({
    queryKey: ['sessions'],
    queryFn: ({ signal }) => client.listSessions({ signal }),
  });
  const end = useMutation({
    mutationFn: (id: string | undefined) => (id === undefined ? client.endOtherSessions() : client.endSession(id)),
    async onSuccess() {
      tell(t('sessions.ended'));
      await queries.invalidateQueries({ queryKey: ['sessions'] });
    },
  });
  const columns: readonly Column<SessionRow>[] = [
    {
      key: 'device',
      title: t('sessions.device'),
      track: 'minmax(0,3fr)',
      cell: ({ user_agent }) => <span title={user_agent ?? undefined}>{user_agent ?? t('sessions.unknown')}</span>,
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
      track: '10rem',
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
          <Button look="quiet" className="text-bad" onClick={() => end.mutate(id)}>
            {t('sessions.end')}
          </Button>
        ),
    },
  ];
  return (
    <>
      <PageHead title={t('sessions.title')}>
        <CopyCommand cli="npx berth sessions ls" http={{ method: 'GET', path: '/v1/user/sessions' }} />
        {data && data.length > 1 && (
          <Button isBusy={end.isPending} onClick={() => end.mutate(undefined)}>
            {t('sessions.endOthers')}
          </Button>
        )}
      </PageHead>
      {(end.error ?? (data ? null : error)) && (
        <ErrorNote error={end.error ?? error} onRetry={end.error ? undefined : () => void refetch()} />
      )}
      {!data && !error && <Skeleton rows={2} />}
      {data && <VirtualTable label={t('sessions.title')} rows={data} columns={columns} rowKey={({ id }) => id} />}
    </>
  );
}
