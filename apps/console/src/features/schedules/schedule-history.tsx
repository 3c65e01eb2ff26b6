import type { ScheduleRun } from '@berth/contract';
import { Badge, type BadgeTone, type Column, ErrorNote, Skeleton, VirtualTable } from '@berth/ui';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useConsole } from '../../api/console-context.ts';
import { QUERY_KEYS } from '../../api/query-keys.ts';
import { useConsoleTexts } from '../../text/use-console-texts.ts';

const TONES: Readonly<Record<ScheduleRun['status'], BadgeTone>> = {
  pending: 'warn',
  running: 'busy',
  succeeded: 'good',
  failed: 'bad',
  cancelled: 'neutral',
};

/** List of a schedule's runs, newest first, loaded while scrolling. */
export function ScheduleHistory({ name }: { readonly name: string }) {
  const { t, formats } = useConsoleTexts();
  const { client } = useConsole();
  const { data, error, refetch, hasNextPage, isFetching, fetchNextPage } = useInfiniteQuery({
    queryKey: QUERY_KEYS.runs(name),
    queryFn: ({ signal, pageParam }) =>
      client.get('/v1/schedule/runs', { params: { query: { name, page_token: pageParam } }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_page_token }) => next_page_token ?? undefined,
    refetchInterval: 5_000,
  });
  const runs = data?.pages.flatMap((page) => page.runs) ?? [];
  const columns: readonly Column<ScheduleRun>[] = [
    {
      title: t('deployment.schedule.due'),
      track: 'minmax(0,2fr)',
      cell: ({ scheduled_at }) => formats.time(scheduled_at),
    },
    {
      title: t('deployment.schedule.result'),
      track: '8rem',
      cell: ({ status }) => <Badge tone={TONES[status]} text={t(`deployment.run.${status}`)} />,
    },
    {
      title: t('deployment.schedule.tries'),
      track: '5rem',
      isWideOnly: true,
      cell: ({ attempts }) => formats.number(attempts.length),
    },
    {
      title: t('deployment.schedule.answer'),
      track: 'minmax(0,3fr)',
      isWideOnly: true,
      cell: ({ attempts }) => {
        const { status, error: reason } = attempts.at(-1) ?? {};
        const words = reason ?? String(status ?? '');
        return <bdi title={words}>{words}</bdi>;
      },
    },
  ];
  return (
    <section>
      <h2 className="mb-2 font-semibold">{t('deployment.schedule.history')}</h2>
      {error && !data && <ErrorNote error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton rows={3} />}
      {data && runs.length === 0 && <p className="text-ink-soft">{t('deployment.schedule.noRuns')}</p>}
      {runs.length > 0 && (
        <VirtualTable
          label={t('deployment.schedule.history')}
          rows={runs}
          columns={columns}
          rowKey={({ id }) => id}
          onEnd={() => {
            if (hasNextPage && !isFetching) void fetchNextPage();
          }}
        />
      )}
    </section>
  );
}
