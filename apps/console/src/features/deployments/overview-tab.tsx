import type { DeploymentDetail } from '@berth/contract';
import { parseMemory } from '@berth/contract/resources';
import { Time } from '@berth/ui';
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

/** Tab that tells in one screen how a deployment does: what needs attention, figures, last deploy, logs. */
export function OverviewTab({ deployment }: { readonly deployment: DeploymentDetail }) {
  const { t, formats } = useConsoleTexts();
  const { name, url, memory, cpu, concurrency, timeout, volumes } = deployment;
  const { instances, busy, min_instances: least } = deployment;
  const running = least === 0 ? formats.number(instances) : t('deployment.instancesKept', { count: instances, least });
  const mounts = Object.entries(volumes).map(([path, volume]) => `${path} = ${volume.name}`);
  return (
    <div className="flex flex-col gap-4">
      <Attention deployment={deployment} />
      <Figures name={name} instances={instances} />
      <div className="grid gap-x-8 gap-y-4 md:grid-cols-2">
        <div className="flex min-w-0 flex-col gap-4">
          <LastDeploy name={name} />
          <Facts
            rows={[
              // How many instances run is a figure above.
              ...(least > 0 || busy > 0
                ? [
                    [
                      t('deployments.instances'),
                      busy === 0 ? running : t('deployment.instancesBusy', { running, count: busy }),
                    ] as const,
                  ]
                : []),
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

/** The newest deploy that the top of the page doesn't tell of: how it ended, who started it, and when. */
function LastDeploy({ name }: { readonly name: string }) {
  const { t } = useConsoleTexts();
  const words = useDeployWords();
  const deploys = useDeploysOf(name).data ?? [];
  const shown = deploys.find(({ status }) => status === 'done' || status === 'cancelled');
  if (!shown) return null;
  return (
    <section>
      <h2 className="mb-2 font-semibold">
        {t(shown === deploys[0] ? 'overview.lastDeploy' : 'overview.previousDeploy')}
      </h2>
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <DeployBadge deploy={shown} />
        <span>{t(`deploys.kind.${shown.kind}`)}</span>
        <span className="text-ink-soft">
          <Time at={shown.created_at} says={() => words.began(shown, Date.now())} />
        </span>
        <Link
          to="/deployments/$name"
          params={{ name }}
          search={{ tab: 'deploys', deploy: shown.deploy_id }}
          className="text-accent hover:underline"
        >
          {t('overview.details')}
        </Link>
      </p>
    </section>
  );
}
