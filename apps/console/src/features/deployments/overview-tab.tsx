import type { DeploymentDetail } from '@berth/contract';
import { parseMemory } from '@berth/contract/resources';
import { MiddleText } from '@berth/ui';
import { Facts } from '../../components/facts.tsx';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import { Plots } from '../metrics/plots.tsx';

/** Tab with the deployment's address, configuration and recent activity. */
export function OverviewTab({ deployment }: { readonly deployment: DeploymentDetail }) {
  const { t, formats } = useConsoleTexts();
  const {
    name,
    url,
    revision,
    memory,
    cpu,
    concurrency,
    timeout,
    volumes,
    instances,
    busy,
    min_instances: least,
  } = deployment;
  const running = least === 0 ? formats.number(instances) : t('deployment.instancesKept', { count: instances, least });
  const seconds = formats.number(timeout, { style: 'unit', unit: 'second', unitDisplay: 'long' });
  const mounts = Object.entries(volumes).map(([path, volume]) => `${path} = ${volume.name}`);
  return (
    <div className="flex flex-col gap-6">
      <Facts
        rows={[
          [
            t('deployments.address'),
            <a
              key="url"
              href={url}
              target="_blank"
              rel="noreferrer"
              className="inline-flex max-w-full text-accent hover:underline"
            >
              <MiddleText text={url} />
            </a>,
          ],
          [t('deployment.revision'), <bdi key="revision">{revision ?? t('deployment.noRevision')}</bdi>],
          [t('deployments.instances'), busy === 0 ? running : t('deployment.instancesBusy', { running, count: busy })],
          [
            t('deployment.size'),
            t('deployment.sizeValue', { memory: formats.bytes(parseMemory(memory) ?? 0), count: cpu }),
          ],
          [t('deployment.limits'), t('deployment.limitsValue', { count: concurrency, timeout: seconds })],
          [t('nav.volumes'), <bdi key="mounts">{mounts.join(', ') || t('deployment.none')}</bdi>],
          [t('deployment.created'), formats.time(deployment.created_at)],
          [t('deployments.updated'), formats.time(deployment.updated_at)],
        ]}
      />
      <Plots name={name} url={url} />
    </div>
  );
}
