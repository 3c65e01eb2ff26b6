import type { DeploymentDetail } from '@berth/contract';
import { Badge, buttonClass, MiddleText, NameWithId, Time } from '@berth/ui';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import { ActiveDeploys } from '../deploys/views/active-deploys.tsx';
import { useDeployWords } from '../deploys/views/use-deploy-words.ts';
import { useDeploysOf } from '../deploys/views/use-deploys.ts';
import { statusSentence } from './overview/status-sentence.ts';

const route = getRouteApi('/deployments/$name');

/** Top of a deployment's page: its status in a sentence, its URL, its active deploys, and why the last deploy failed. */
export function StatusLine({ deployment }: { readonly deployment: DeploymentDetail }) {
  const { t } = useConsoleTexts();
  const words = useDeployWords();
  const { name, url, revision } = deployment;
  const { data: deploys = [] } = useDeploysOf(name);
  const { deploy: openId } = route.useSearch();
  const [newest] = deploys;
  const failed = newest?.status === 'failed' && newest.deploy_id !== openId ? newest : undefined;
  const { tone, text } = statusSentence(deployment, t);
  const badge = <Badge tone={tone} text={text} />;
  // The notice of a failed first deploy begins with this sentence.
  const isSaidBelow = failed !== undefined && tone === 'bad';
  return (
    <>
      <div className="mb-4 flex flex-wrap items-center gap-x-4 gap-y-1">
        {!isSaidBelow && (revision === null ? badge : <NameWithId id={revision}>{badge}</NameWithId>)}
        <NameWithId id={url}>
          <a href={url} target="_blank" rel="noopener noreferrer" className="text-accent hover:underline">
            <MiddleText text={url} />
          </a>
        </NameWithId>
      </div>
      <ActiveDeploys deploys={deploys.filter(({ ended_at }) => ended_at === null)} name={name} />
      {failed && (
        <div className="mb-4 flex flex-wrap items-center gap-x-3 gap-y-1 rounded-lg bg-bad-soft px-3 py-2">
          {isSaidBelow ? badge : <Badge tone="bad" text={t('deploys.lastFailed')} />}
          <span className="min-w-0 flex-1 basis-64">
            <span className="line-clamp-2 break-words">
              <bdi>{failed.message}</bdi>
            </span>
            <span className="block text-ink-soft text-xs">
              <Time at={failed.created_at} says={() => words.began(failed, Date.now())} />
            </span>
          </span>
          <Link
            to="/deployments/$name"
            params={{ name }}
            search={{ tab: 'deploys', deploy: failed.deploy_id }}
            className={buttonClass()}
          >
            {t('deploys.why')}
          </Link>
        </div>
      )}
    </>
  );
}
