import type { DeploymentDetail } from '@berth/contract';
import { EmptyState, useCommand } from '@berth/ui';
import { getRouteApi } from '@tanstack/react-router';
import { History } from 'lucide-react';
import { Loaded } from '../../components/loaded.tsx';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import { DeployRow } from '../deploys/views/deploy-row.tsx';
import { useDeploysOf } from '../deploys/views/use-deploys.ts';

const route = getRouteApi('/deployments/$name');

/** Tab with the deployment's finished deploys. The active ones are above the tabs. */
export function DeploysTab({ deployment: { name } }: { readonly deployment: DeploymentDetail }) {
  const { t } = useConsoleTexts();
  const { deploy: openId } = route.useSearch();
  const navigate = route.useNavigate();
  const deploys = useDeploysOf(name);
  const ended = deploys.data?.filter(({ ended_at }) => ended_at !== null);
  useCommand({
    label: t('deployment.tab.deploys'),
    cli: `npx berth deploys ${name}`,
    http: { method: 'GET', path: `/v1/deploys?${new URLSearchParams({ name })}` },
  });
  return (
    <>
      <div className="mb-2 flex flex-wrap items-center gap-2">
        <p className="me-auto text-ink-soft">{t('deploys.kept')}</p>
      </div>
      <Loaded
        query={{ data: ended, error: deploys.error, refetch: deploys.refetch }}
        rows={4}
        empty={
          <EmptyState
            icon={History}
            title={t('deploys.empty')}
            text={t('deploys.emptyText')}
            command={`npx berth deploy . --name ${name}`}
          />
        }
      >
        {(rows) => (
          <ul aria-label={t('deployment.tab.deploys')} className="border-line border-t">
            {rows.map((deploy) => (
              <DeployRow
                key={deploy.deploy_id}
                deploy={deploy}
                isOpen={deploy.deploy_id === openId}
                onToggle={() =>
                  void navigate({
                    search: { tab: 'deploys', ...(deploy.deploy_id !== openId && { deploy: deploy.deploy_id }) },
                    replace: true,
                    resetScroll: false,
                  })
                }
              />
            ))}
          </ul>
        )}
      </Loaded>
    </>
  );
}
