import { CopyCommand, ErrorNote, Skeleton } from '@berth/ui';
import { useQuery } from '@tanstack/react-query';
import { useConsole } from '../../../api/console-context.ts';
import { QUERY_KEYS } from '../../../api/query-keys.ts';
import { PageHead } from '../../../components/page-head.tsx';
import { useConsoleTexts } from '../../../text/use-console-texts.ts';
import { Costs } from './costs.tsx';
import { Limits } from './limits.tsx';
import { PlanList } from './plan-list.tsx';
import { PlanSummary } from './plan-summary.tsx';
import { Usage } from './usage.tsx';

/** Page with the account's plan, usage, limits and costs. */
export function BillingPage() {
  const { t } = useConsoleTexts();
  const { client } = useConsole();
  const { data, error, refetch } = useQuery({
    queryKey: QUERY_KEYS.subscription,
    queryFn: ({ signal }) => client.get('/v1/user/subscription', { signal }),
  });
  return (
    <>
      <PageHead title={t('billing.title')}>
        <CopyCommand cli="npx berth subscription" http={{ method: 'GET', path: '/v1/user/subscription' }} />
      </PageHead>
      <div className="flex flex-col gap-8">
        {error && !data && <ErrorNote error={error} onRetry={() => void refetch()} />}
        {!data && !error && <Skeleton rows={4} />}
        {data && <PlanSummary subscription={data} />}
        <Costs />
        {data && (
          <div className="grid gap-8 md:grid-cols-2">
            <Usage subscription={data} />
            <Limits limits={data.limits} />
          </div>
        )}
        <PlanList />
      </div>
    </>
  );
}
