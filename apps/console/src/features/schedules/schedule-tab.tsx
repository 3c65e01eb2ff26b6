import type { DeploymentDetail, ScheduleRun } from '@berth/contract';
import { isTimeZone } from '@berth/contract/schedule';
import {
  Badge,
  type BadgeTone,
  Button,
  type Column,
  EmptyState,
  ErrorNote,
  Select,
  Skeleton,
  useCommand,
  VirtualTable,
} from '@berth/ui';
import { useInfiniteQuery } from '@tanstack/react-query';
import { CalendarClock, Play, Plus } from 'lucide-react';
import { useState } from 'react';
import { useConsole } from '../../api/console-context.ts';
import { QUERY_KEYS } from '../../api/query-keys.ts';
import { useAction } from '../../api/use-action.ts';
import { useRights } from '../../api/use-rights.ts';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import { ScheduleFields } from '../settings/schedule-fields.tsx';
import { useSettingsEdits } from '../settings/use-settings-edits.tsx';
import { nextRuns } from './next-runs.ts';

/** Tab with the schedule of a deployment, which can be changed here, its next runs and their history. */
export function ScheduleTab({ deployment }: { readonly deployment: DeploymentDetail }) {
  const { t } = useConsoleTexts();
  const canDeploy = useRights().can('deploy');
  const { name, schedule, revision } = deployment;
  const edits = useSettingsEdits(deployment);
  const { draft } = edits;
  const [isAdding, setAdding] = useState(false);
  const local = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const own = schedule?.timezone ?? draft.timezone;
  const [chosen, setChosen] = useState<string>();
  const zone = chosen ?? own;
  const run = useAction((client) => client.post('/v1/schedule/run', { body: { name } }), {
    refreshes: [QUERY_KEYS.runs(name)],
    said: () => t('deployment.schedule.asked'),
  });
  useCommand(
    schedule
      ? {
          label: t('deployment.tab.schedule'),
          cli: `npx berth cron run ${name}`,
          http: { method: 'POST', path: '/v1/schedule/run', body: { name } },
        }
      : undefined,
  );
  if (!schedule && !isAdding) {
    return (
      <EmptyState
        icon={CalendarClock}
        title={t('deployment.schedule.empty')}
        text={t(revision === null ? 'deployment.schedule.notServing' : 'deployment.schedule.emptyText')}
        command={`npx berth redeploy ${name} --schedule '0 4 * * *'`}
      >
        {canDeploy && revision !== null && (
          <Button look="primary" icon={Plus} onClick={() => setAdding(true)}>
            {t('deployment.schedule.new')}
          </Button>
        )}
      </EmptyState>
    );
  }
  const zones = [
    { value: own, label: t('deployment.schedule.zoneOwn', { zone: own }) },
    { value: local, label: t('deployment.schedule.zoneLocal', { zone: local }) },
    { value: 'UTC', label: 'UTC' },
  ].filter(({ value }, at, all) => all.findIndex((one) => one.value === value) === at);
  const upcoming = nextRuns(draft.cron, draft.timezone, Date.now(), 5);
  return (
    <div className="flex flex-col gap-6">
      <form
        className="flex max-w-2xl flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          if (edits.count > 0) edits.redeploy();
        }}
      >
        <fieldset disabled={!canDeploy || revision === null} className="grid gap-4 sm:grid-cols-2">
          <ScheduleFields draft={draft} onChange={edits.change} problems={edits.problems} />
        </fieldset>
        {edits.refusal !== undefined && Object.keys(edits.problems).length === 0 && <ErrorNote error={edits.refusal} />}
        {canDeploy && revision !== null && (
          <div className="flex flex-wrap items-center gap-2">
            <Button look="primary" type="submit" disabled={edits.count === 0 || edits.isUnderWay}>
              {draft.cron.trim() === '' ? t('deployment.schedule.remove') : t('deployment.schedule.save')}
            </Button>
            {edits.count > 0 && <Button onClick={edits.discard}>{t('settings.reset')}</Button>}
            {schedule && (
              <Button icon={Play} isBusy={run.isPending} onClick={() => run.mutate()}>
                {t('deployment.schedule.now')}
              </Button>
            )}
            <span className="text-ink-soft text-xs">{t('deployment.schedule.saveHint')}</span>
          </div>
        )}
        {edits.guard}
      </form>
      {run.error && <ErrorNote error={run.error} />}
      <Select
        className="w-64 max-w-full"
        label={t('deployment.schedule.zone')}
        value={zones.some(({ value }) => value === zone) ? zone : own}
        onChange={setChosen}
        options={zones}
      />
      <section>
        <h2 className="mb-2 font-semibold">{t('deployment.schedule.next', { zone })}</h2>
        {upcoming.length === 0 && <p className="text-ink-soft">{t('deployment.schedule.none')}</p>}
        <ol className="flex flex-col gap-1">
          {upcoming.map((atMs) => (
            <li key={atMs}>
              <ZoneTime at={atMs} zone={zone} />
            </li>
          ))}
        </ol>
      </section>
      <ScheduleHistory name={name} zone={zone} />
    </div>
  );
}

/** A time in a chosen zone. Hovering shows it in ISO 8601 (UTC). */
function ZoneTime({ at, zone }: { readonly at: number | string; readonly zone: string }) {
  const { language } = useConsoleTexts();
  const date = new Date(at);
  const look = { dateStyle: 'full', timeStyle: 'short' } as const;
  // The zone may still be being typed.
  const timeZone = isTimeZone(zone) ? zone : 'UTC';
  return (
    <time dateTime={date.toISOString()} title={date.toISOString()}>
      {new Intl.DateTimeFormat(language, { ...look, timeZone }).format(date)}
    </time>
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
function ScheduleHistory({ name, zone }: { readonly name: string; readonly zone: string }) {
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
      cell: ({ scheduled_at }) => <ZoneTime at={scheduled_at} zone={zone} />,
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
