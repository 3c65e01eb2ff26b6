import { QUERY_KEYS } from '../../../api/query-keys.ts';
import { useRead } from '../../../api/use-read.ts';
import { Loaded } from '../../../components/loaded.tsx';
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
  const read = useRead(QUERY_KEYS.subscription, (client, signal) => client.get('/v1/user/subscription', { signal }));
  const { data } = read;
  return (
    <>
      <PageHead
        title={t('nav.billing')}
        command={{ cli: 'npx berth subscription', http: { method: 'GET', path: '/v1/user/subscription' } }}
      />
      <div className="flex flex-col gap-8">
        <Loaded query={read} rows={4}>
          {(subscription) => <PlanSummary subscription={subscription} />}
        </Loaded>
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
