import type { DeploySummary } from '@berth/contract';
import { CopyCommand, ErrorNote, Skeleton } from '@berth/ui';
import { useQuery } from '@tanstack/react-query';
import { useConsole } from '../../../api/console-context.ts';
import { QUERY_KEYS } from '../../../api/query-keys.ts';
import { useConsoleTexts } from '../../../text/use-console-texts.ts';
import { readDeployReport } from '../state/deploy-report.ts';
import { adviceFor } from '../state/failure-advice.ts';
import { DeployLog } from './deploy-log.tsx';
import { StageList } from './stage-list.tsx';

/** Stages, output and error of a finished deploy. */
export function DeployReportView({ deploy: { deploy_id: id } }: { readonly deploy: DeploySummary }) {
  const { t } = useConsoleTexts();
  const { client } = useConsole();
  const { data, error, refetch } = useQuery({
    queryKey: QUERY_KEYS.deployReport(id),
    queryFn: ({ signal }) => readDeployReport(client.followDeploy(id, { signal })),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (!data) return error ? <ErrorNote error={error} onRetry={() => void refetch()} /> : <Skeleton rows={3} />;
  const { stages, lines, failure } = data;
  return (
    <div className="flex flex-col gap-3">
      {failure && <ErrorNote error={failure.message} />}
      {failure && <p className="text-ink-soft">{t(`deploy.advice.${adviceFor(failure.code)}`)}</p>}
      <StageList stages={stages} />
      {lines.length > 0 ? (
        <DeployLog lines={lines} lineCount={lines.length} isComplete />
      ) : (
        <p className="text-ink-soft">{t('deploys.noOutput')}</p>
      )}
      <div className="flex justify-end">
        <CopyCommand cli={`npx berth follow ${id}`} http={{ method: 'GET', path: `/v1/deploys/${id}/events` }} />
      </div>
    </div>
  );
}
