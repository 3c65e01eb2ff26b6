import { Button, EmptyState, ErrorNote, quote, Skeleton } from '@berth/ui';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { ScrollText } from 'lucide-react';
import { useMemo } from 'react';
import { useConsole } from '../../api/console-context.ts';
import { QUERY_KEYS } from '../../api/query-keys.ts';
import { PageHead } from '../../components/page-head.tsx';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import { AuditBar } from './audit-bar.tsx';
import { AuditDownload } from './audit-download.tsx';
import { AuditList } from './audit-list.tsx';
import {
  type AuditView,
  isNarrow,
  parseAuditView,
  toAuditCommands,
  toAuditQuery,
  toAuditSearch,
} from './audit-view.ts';

const FIRST_ENTRIES = 200;
/** Entries per page after the first. Pages are large, because people who scroll on usually read far. */
const PAGE_ENTRIES = 1_000;

/** Page of the account's audit log, newest first, with filters. Older entries load while scrolling. */
export function AuditPage() {
  const { t } = useConsoleTexts();
  const { client } = useConsole();
  const navigate = useNavigate();
  const view = parseAuditView(useSearch({ strict: false }));
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: QUERY_KEYS.audit({ ...toAuditSearch(view), entry: undefined }),
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) => {
      const paging = pageParam === '' ? { limit: FIRST_ENTRIES } : { limit: PAGE_ENTRIES, page_token: pageParam };
      return client.get('/v1/user/audit', {
        params: { query: { ...toAuditQuery(view, Date.now()), ...paging } },
        signal,
      });
    },
    getNextPageParam: ({ next_page_token }) => next_page_token,
  });
  const rows = useMemo(() => data?.pages.flatMap(({ entries }) => entries), [data]);
  const change = (changes: Partial<AuditView>, options: { replace?: boolean } = {}) =>
    void navigate({
      to: '/audit',
      search: (now: Readonly<Record<string, unknown>>) => toAuditSearch({ ...parseAuditView(now), ...changes }),
      resetScroll: false,
      ...options,
    });
  return (
    <>
      <PageHead title={t('nav.audit')} command={toAuditCommands(view, Date.now(), quote)}>
        <AuditDownload view={view} isEmpty={rows?.length === 0} />
      </PageHead>
      <AuditBar view={view} onChange={change} />
      {error && !rows && <ErrorNote error={error} onRetry={() => void refetch()} />}
      {!rows && !error && <Skeleton rows={12} />}
      {rows?.length === 0 && !isNarrow(view) && (
        <EmptyState icon={ScrollText} title={t('audit.empty.title')} text={t('audit.empty.text')} />
      )}
      {rows?.length === 0 && isNarrow(view) && (
        <EmptyState icon={ScrollText} title={t('audit.none.title')} text={t('audit.none.text')}>
          <Button onClick={() => change({ actor: '', action: '', target: '', range: undefined })}>
            {t('audit.none.all')}
          </Button>
        </EmptyState>
      )}
      {rows && rows.length > 0 && (
        <>
          <AuditList
            rows={rows}
            openEntry={view.entry}
            onOpen={(entry) => change({ entry }, { replace: true })}
            onChange={change}
            onEnd={() => {
              if (hasNextPage && !isFetchingNextPage && !error) void fetchNextPage();
            }}
          />
          {error && <ErrorNote error={error} onRetry={() => void fetchNextPage()} />}
          {isFetchingNextPage && <Skeleton rows={3} />}
          {!hasNextPage && <p className="py-3 text-center text-xs text-ink-soft">{t('audit.end')}</p>}
        </>
      )}
    </>
  );
}
