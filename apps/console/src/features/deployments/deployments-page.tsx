import type { DeploymentKind, DeploymentStatus } from '@berth/contract';
import { Button, EmptyState, Field, Select } from '@berth/ui';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { FolderUp, Server } from 'lucide-react';
import { use, useDeferredValue, useMemo } from 'react';
import { QUERY_KEYS } from '../../api/query-keys.ts';
import { useDeployments } from '../../api/shared-lists.ts';
import { useRead } from '../../api/use-read.ts';
import { Loaded } from '../../components/loaded.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import { ActiveDeploys } from '../deploys/views/active-deploys.tsx';
import { DeployContext } from '../deploys/views/deploy-context.ts';
import { useActiveDeploys } from '../deploys/views/use-deploys.ts';
import { useChooseText } from '../sources/views/use-choose-text.ts';
import {
  type Arrangement,
  arrangeDeployments,
  DEPLOYMENT_ORDERS,
  type DeploymentOrder,
  parseArrangement,
  toArrangementSearch,
} from './arrange-deployments.ts';
import { DeploymentTable } from './deployment-table.tsx';

/**
 * Number of rows from which the list, then megabytes, is polled less often. It is still refreshed when a deploy ends.
 */
const MANY_ROWS = 1_000;
/** Minimum number of rows for which the search field is shown. */
const MANY = 5;

/** Page of the account's deployments. */
export function DeploymentsPage() {
  const { t } = useConsoleTexts();
  const choose = use(DeployContext);
  const chooseText = useChooseText();
  const navigate = useNavigate();
  const view = parseArrangement(useSearch({ strict: false }));
  const { search, order, kind, status } = view;
  const change = (changes: Partial<Arrangement>) =>
    void navigate({ to: '.', search: toArrangementSearch({ ...view, ...changes }) as never, replace: true });
  const deployments = useDeployments({
    refetchInterval: ({ state }) => ((state.data?.length ?? 0) > MANY_ROWS ? 30_000 : 5_000),
    // Comparing ten thousand rows with the previous ones takes longer than rendering the 30 visible ones.
    structuralSharing: false,
  });
  const active = useActiveDeploys();
  const { data: activity } = useRead(
    QUERY_KEYS.activity,
    (client, signal) => client.get('/v1/activity', { params: { query: { window: '1h' } }, signal }),
    { refetchInterval: 15_000, structuralSharing: false },
  );
  const counts = useMemo(() => new Map(activity?.deployments.map((row) => [row.name, row])), [activity]);
  const wanted = useDeferredValue(search);
  const { data } = deployments;
  const rows = useMemo(
    () => arrangeDeployments(data ?? [], { search: wanted, order, kind, status }),
    [data, wanted, order, kind, status],
  );
  return (
    <>
      <PageHead
        title={t('nav.deployments')}
        command={{ cli: 'npx berth ls', http: { method: 'GET', path: '/v1/deployment/list' } }}
      >
        <Button icon={FolderUp} look="primary" onClick={() => choose()}>
          {t('deploy.new')}
        </Button>
      </PageHead>
      <ActiveDeploys deploys={active} />
      <Loaded
        query={deployments}
        rows={4}
        empty={
          <EmptyState
            icon={Server}
            title={t('deployments.empty.title')}
            text={`${t('deployments.empty.text')} ${chooseText}`}
            command="npx berth deploy ./my-project"
          />
        }
      >
        {({ length }) => (
          <>
            {length >= MANY && (
              <div className="mb-3 flex flex-wrap items-end gap-2">
                <Field
                  className="min-w-48 flex-1 max-sm:basis-full"
                  isLabelHidden
                  label={t('deployments.search')}
                  placeholder={t('deployments.search')}
                  type="search"
                  value={search}
                  onChange={(next) => change({ search: next })}
                />
                <Select<DeploymentKind | 'all'>
                  className="w-36 max-sm:w-auto max-sm:min-w-0 max-sm:flex-1"
                  isLabelHidden
                  label={t('deployments.kind')}
                  value={kind ?? 'all'}
                  onChange={(next) => change({ kind: next === 'all' ? undefined : next })}
                  options={(['all', 'service', 'agent'] as const).map((value) => ({
                    value,
                    label: t(`deployments.kind.${value}`),
                  }))}
                />
                <Select<DeploymentStatus | 'all'>
                  className="w-36 max-sm:w-auto max-sm:min-w-0 max-sm:flex-1"
                  isLabelHidden
                  label={t('deployments.status')}
                  value={status ?? 'all'}
                  onChange={(next) => change({ status: next === 'all' ? undefined : next })}
                  options={(['all', 'ready', 'building', 'deploying', 'failed', 'deleting'] as const).map((value) => ({
                    value,
                    label: t(`deployments.status.${value}`),
                  }))}
                />
                <Select<DeploymentOrder>
                  className="w-44 max-sm:w-auto max-sm:min-w-0 max-sm:flex-1"
                  isLabelHidden
                  label={t('deployments.order')}
                  value={order}
                  onChange={(next) => change({ order: next })}
                  options={DEPLOYMENT_ORDERS.map((value) => ({ value, label: t(`deployments.order.${value}`) }))}
                />
              </div>
            )}
            {rows.length > 0 ? (
              <DeploymentTable rows={rows} activity={counts} />
            ) : (
              <p role="status" className="py-10 text-center text-ink-soft">
                {t('deployments.noneFound', { search: wanted })}
              </p>
            )}
            {length < MANY && (
              <p className="mt-6 rounded-lg border border-dashed border-line-strong px-4 py-6 text-center text-ink-soft">
                {chooseText}
              </p>
            )}
          </>
        )}
      </Loaded>
    </>
  );
}
