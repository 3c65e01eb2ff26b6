import type { DeploymentDetail, ScheduleRun } from '@berth/contract';
import {
  Badge,
  type BadgeTone,
  Button,
  buttonClass,
  type Column,
  CopyCommand,
  EmptyState,
  ErrorNote,
  Skeleton,
  VirtualTable,
} from '@berth/ui';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CalendarClock, Play } from 'lucide-react';
import { useConsole } from '../../api/console-context.ts';
import { QUERY_KEYS } from '../../api/query-keys.ts';
import { useAction } from '../../api/use-action.ts';
import { useRights } from '../../api/use-rights.ts';
import { Facts } from '../../components/facts.tsx';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import { nextRuns } from './next-runs.ts';

/** Tab with the schedule of a deployment, its next runs and their history. */
export function ScheduleTab({ deployment: { name, schedule } }: { readonly deployment: DeploymentDetail }) {
  const { t, language } = useConsoleTexts();
  const canDeploy = useRights().can('deploy');
  const run = useAction((client) => client.post('/v1/schedule/run', { body: { name } }), {
    refreshes: [QUERY_KEYS.runs(name)],
    said: () => t('deployment.schedule.asked'),
  });
  if (!schedule) {
    return (
      <EmptyState
        icon={CalendarClock}
        title={t('deployment.schedule.empty')}
        text={t('deployment.schedule.emptyText')}
        command={`npx berth redeploy ${name} --schedule '0 4 * * *'`}
      >
        <Link to="/deployments/$name" params={{ name }} search={{ tab: 'settings' }} className={buttonClass()}>
          {t('deployment.tab.settings')}
        </Link>
      </EmptyState>
    );
  }
  const { cron, timezone } = schedule;
  // The next runs are wall-clock times written as UTC.
  const wall = new Intl.DateTimeFormat(language, { dateStyle: 'full', timeStyle: 'short', timeZone: 'UTC' });
  return (
    <div className="flex flex-col gap-6">
      <Facts
        rows={[
          [
            t('deployment.schedule.cron'),
            <code key="cron" dir="ltr" className="font-mono text-xs">
              {cron}
            </code>,
          ],
          [t('setting.timezone'), <bdi key="zone">{timezone}</bdi>],
          [
            t('deployment.schedule.next', { zone: timezone }),
            <ol key="next">
              {nextRuns(cron, timezone, Date.now(), 5).map((wallMs) => (
                <li key={wallMs}>{wall.format(wallMs)}</li>
              ))}
            </ol>,
          ],
        ]}
      />
      {run.error && <ErrorNote error={run.error} />}
      <div className="flex gap-2">
        {canDeploy && (
          <Button icon={Play} isBusy={run.isPending} onClick={() => run.mutate()}>
            {t('deployment.schedule.now')}
          </Button>
        )}
        <CopyCommand
          cli={`npx berth cron run ${name}`}
          http={{ method: 'POST', path: '/v1/schedule/run', body: { name } }}
        />
      </div>
      <ScheduleHistory name={name} />
    </div>
  );
}

const TONES: Readonly<Record<ScheduleRun['status'], BadgeTone>> = {
  pending: 'warn',
  running: 'busy',
  succeeded: 'good',
  failed: 'bad',
  cancelled: 'neutral',
};

/** List of a schedule's runs, newest first, loaded while scrolling. */
function ScheduleHistory({ name }: { readonly name: string }) {
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
      title: t('sql.result'),
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
