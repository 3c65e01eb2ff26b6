import type { DeploymentDetail } from '@berth/contract';
import { Badge, buttonClass } from '@berth/ui';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import { ActiveDeploys } from '../deploys/views/active-deploys.tsx';
import { useDeployWords } from '../deploys/views/use-deploy-words.ts';
import { useDeploysOf } from '../deploys/views/use-deploys.ts';

const route = getRouteApi('/deployments/$name');

/** Notices at the top of a deployment's page: its active deploys, or the failure of its last one. */
export function DeploymentNews({ deployment: { name } }: { readonly deployment: DeploymentDetail }) {
  const { t } = useConsoleTexts();
  const words = useDeployWords();
  const { data = [] } = useDeploysOf(name);
  const active = data.filter(({ ended_at }) => ended_at === null);
  const { deploy: openId } = route.useSearch();
  const newest = data[0];
  return (
    <>
      <ActiveDeploys deploys={active} name={name} />
      {newest?.status === 'failed' && newest.deploy_id !== openId && (
        <div className="mb-4 flex flex-wrap items-center gap-x-3 gap-y-1 rounded-lg bg-bad-soft px-3 py-2">
          <Badge tone="bad" text={t('deploys.lastFailed')} />
          <span className="min-w-0 flex-1 basis-64">
            <span className="line-clamp-2 break-words">
              <bdi>{newest.message}</bdi>
            </span>
            <span className="block text-ink-soft text-xs">{words.began(newest, Date.now())}</span>
          </span>
          <Link
            to="/deployments/$name"
            params={{ name }}
            search={{ tab: 'deploys', deploy: newest.deploy_id }}
            className={buttonClass()}
          >
            {t('deploys.why')}
          </Link>
        </div>
      )}
    </>
  );
}
