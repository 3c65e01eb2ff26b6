import type { DeploymentDetail } from '@berth/contract';
import { parseMemory } from '@berth/contract/resources';
import { Badge, MiddleText, NameWithId, Time } from '@berth/ui';
import { Link } from '@tanstack/react-router';
import { Facts } from '../../components/facts.tsx';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import { DeployBadge } from '../deploys/views/deploy-badge.tsx';
import { useDeployWords } from '../deploys/views/use-deploy-words.ts';
import { useDeploysOf } from '../deploys/views/use-deploys.ts';
import { Plots } from '../metrics/plots.tsx';
import { Attention } from './overview/attention.tsx';
import { Figures } from './overview/figures.tsx';
import { LogTail } from './overview/log-tail.tsx';
import { revisionNumber, statusSentence } from './overview/status-sentence.ts';

/** Tab that tells in one screen how a deployment does: status, figures, what needs attention, last deploy, logs. */
export function OverviewTab({ deployment }: { readonly deployment: DeploymentDetail }) {
  const { t, formats } = useConsoleTexts();
  const { name, url, revision, memory, cpu, concurrency, timeout, volumes } = deployment;
  const { instances, busy, min_instances: least } = deployment;
  const running = least === 0 ? formats.number(instances) : t('deployment.instancesKept', { count: instances, least });
  const mounts = Object.entries(volumes).map(([path, volume]) => `${path} = ${volume.name}`);
  const { tone, text } = statusSentence(deployment, t);
  return (
    <div className="flex flex-col gap-6">
      <div className="flex flex-wrap items-center gap-x-6 gap-y-2">
        <Badge tone={tone} text={text} />
        <NameWithId id={url}>
          <a href={url} target="_blank" rel="noopener noreferrer" className="text-accent hover:underline">
            <MiddleText text={url} />
          </a>
        </NameWithId>
      </div>
      <Attention deployment={deployment} />
      <Figures name={name} instances={instances} />
      <div className="grid gap-x-8 gap-y-6 md:grid-cols-2">
        <div className="flex min-w-0 flex-col gap-4">
          <LastDeploy name={name} />
          <Facts
            rows={[
              [
                t('deployment.revision'),
                revision === null ? (
                  t('deployment.noRevision')
                ) : (
                  <NameWithId key="revision" id={revision}>
                    {revisionNumber(revision)}
                  </NameWithId>
                ),
              ],
              [
                t('deployments.instances'),
                busy === 0 ? running : t('deployment.instancesBusy', { running, count: busy }),
              ],
              [
                t('deployment.size'),
                t('deployment.sizeValue', { memory: formats.bytes(parseMemory(memory) ?? 0), count: cpu }),
              ],
              [
                t('deployment.limits'),
                t('deployment.limitsValue', { count: concurrency, timeout: formats.span(timeout, 's') }),
              ],
              [t('nav.volumes'), <bdi key="mounts">{mounts.join(', ') || t('deployment.none')}</bdi>],
              [t('deployment.created'), <Time key="created" at={deployment.created_at} look="moment" />],
            ]}
          />
        </div>
        <LogTail name={name} />
      </div>
      <Plots name={name} url={url} />
    </div>
  );
}

/** The newest deploy: how it ended, who started it, and when. */
function LastDeploy({ name }: { readonly name: string }) {
  const { t } = useConsoleTexts();
  const words = useDeployWords();
  const [newest] = useDeploysOf(name).data ?? [];
  if (!newest) return null;
  return (
    <section>
      <h2 className="mb-2 font-semibold">{t('overview.lastDeploy')}</h2>
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <DeployBadge deploy={newest} />
        <span>{t(`deploys.kind.${newest.kind}`)}</span>
        <span className="text-ink-soft">
          <Time at={newest.created_at} says={() => words.began(newest, Date.now())} />
        </span>
        <Link
          to="/deployments/$name"
          params={{ name }}
          search={{ tab: 'deploys', deploy: newest.deploy_id }}
          className="text-accent hover:underline"
        >
          {t('overview.details')}
        </Link>
      </p>
    </section>
  );
}
