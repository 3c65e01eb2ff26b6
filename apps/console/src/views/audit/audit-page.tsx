import type { AuditEntry, AuditPage as Page } from '@berth/contract';
import { type Column, CopyCommand, EmptyState, ErrorNote, MiddleText, Skeleton, VirtualTable } from '@berth/web';
import { useInfiniteQuery } from '@tanstack/react-query';
import { ScrollText } from 'lucide-react';
import { PageHead } from '../../shell/page-head.tsx';
import { useConsole } from '../../state/console-context.ts';
import { useConsoleTexts } from '../../text/use-console-texts.ts';

const PAGE_ENTRIES = 200;

/** What was done in the account, newest first; older pages come as one scrolls. */
export function AuditPage() {
  const { t, formats } = useConsoleTexts();
  const { transport } = useConsole();
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: ['audit'],
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) =>
      transport.json<Page>({ method: 'GET', path: `/v1/user/audit?${pageQuery(pageParam)}`, signal }),
    getNextPageParam: ({ next_page_token }) => next_page_token,
  });
  const rows = data?.pages.flatMap(({ entries }) => entries);
  const columns: readonly Column<AuditEntry>[] = [
    {
      key: 'time',
      title: t('audit.time'),
      track: '11rem',
      cell: ({ time }) => <time dateTime={time}>{formats.time(time)}</time>,
    },
    {
      key: 'action',
      title: t('audit.action'),
      track: 'minmax(0,1fr)',
      cell: ({ action }) => <code className="font-mono text-xs">{action}</code>,
    },
    {
      key: 'target',
      title: t('audit.target'),
      track: 'minmax(0,2fr)',
      cell: ({ target }) => <MiddleText text={target} />,
      isWideOnly: true,
    },
    {
      key: 'actor',
      title: t('audit.actor'),
      track: 'minmax(0,2fr)',
      isWideOnly: true,
      cell: ({ actor }) => t(`audit.actor.${actor.kind}`, { id: actor.id ?? '' }),
    },
  ];
  return (
    <>
      <PageHead title={t('audit.title')}>
        <CopyCommand http={{ method: 'GET', path: '/v1/user/audit' }} />
      </PageHead>
      {error && !rows && <ErrorNote error={error} onRetry={() => void refetch()} />}
      {!rows && !error && <Skeleton rows={12} />}
      {rows?.length === 0 && (
        <EmptyState icon={ScrollText} title={t('audit.empty.title')} text={t('audit.empty.text')} />
      )}
      {rows && rows.length > 0 && (
        <VirtualTable
          label={t('audit.title')}
          rows={rows}
          columns={columns}
          rowKey={({ id }) => id}
          onEnd={() => {
            if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
          }}
        />
      )}
    </>
  );
}

function pageQuery(token: string): URLSearchParams {
  return new URLSearchParams({ limit: String(PAGE_ENTRIES), ...(token === '' ? {} : { page_token: token }) });
}
