import type { DeploymentDetail } from '@berth/contract';
import { Button, buttonClass, CopyCommand, EmptyState, ErrorNote } from '@berth/ui';
import { Link } from '@tanstack/react-router';
import { CalendarClock, Play } from 'lucide-react';
import { useConsole } from '../../api/console-context.ts';
import { QUERY_KEYS } from '../../api/query-keys.ts';
import { useAction } from '../../api/use-action.ts';
import { useRights } from '../../api/use-rights.ts';
import { Facts } from '../../components/facts.tsx';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import { nextRuns } from './next-runs.ts';
import { ScheduleHistory } from './schedule-history.tsx';

/** Tab with the schedule of a deployment, its next runs and their history. */
export function ScheduleTab({ deployment: { name, schedule } }: { readonly deployment: DeploymentDetail }) {
  const { t, language } = useConsoleTexts();
  const { client } = useConsole();
  const canDeploy = useRights().can('deploy');
  const run = useAction(() => client.post('/v1/schedule/run', { body: { name } }), {
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
          [t('deployment.schedule.zone'), <bdi key="zone">{timezone}</bdi>],
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
