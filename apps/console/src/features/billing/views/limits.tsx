import type { Deployment, PlanLimits } from '@berth/contract';
import { parseMemory } from '@berth/contract/resources';
import { classNames } from '@berth/ui';
import { useDeployments, useVolumes } from '../../../api/shared-lists.ts';
import { useConsoleTexts } from '../../../text/use-console-texts.ts';
import { FactList } from './fact-list.tsx';
import { Meter } from './meter.tsx';

/** The plan's limits with their current use. */
export function Limits({ limits }: { readonly limits: PlanLimits }) {
  const { t, formats } = useConsoleTexts();
  const deployments = useDeployments();
  const volumes = useVolumes();
  const storedBytes = volumes.data?.reduce((total, { size_bytes }) => total + size_bytes, 0);
  /** Per-deployment limits are compared with the largest deployment. */
  const most = (of: (deployment: Deployment) => number) => deployments.data && Math.max(0, ...deployments.data.map(of));
  const share = (used: number | undefined, limit: number, format: (value: number) => string) => (
    <Share used={used} limit={limit} format={format} />
  );
  const memory = most(({ memory: size }) => parseMemory(size) ?? 0);
  return (
    <FactList
      title={t('billing.limits')}
      facts={[
        [t('nav.deployments'), share(deployments.data?.length, limits.deployments, formats.number)],
        [t('nav.volumes'), share(volumes.data?.length, limits.volumes, formats.number)],
        [t('billing.limit.storage'), share(storedBytes, limits.storage_bytes, formats.bytes)],
        [t('billing.limit.maxInstances'), formats.number(limits.max_instances)],
        [t('billing.limit.memory'), share(memory, parseMemory(limits.memory) ?? 0, formats.bytes)],
        [t('billing.limit.logs'), t('billing.limit.days', { count: limits.log_retention_days })],
      ]}
    />
  );
}

/** Ratio from which usage counts as close to the limit. */
const NEAR_RATIO = 0.9;

interface ShareProps {
  /** Undefined while unknown. */
  readonly used: number | undefined;
  readonly limit: number;
  format(value: number): string;
}

/** Usage of a limit as text and as a bar. */
function Share({ used, limit, format }: ShareProps) {
  const { t } = useConsoleTexts();
  if (used === undefined) return format(limit);
  const text = t('billing.limit.of', { used: format(used), limit: format(limit) });
  const ratio = limit === 0 ? 1 : Math.min(1, used / limit);
  const isNear = used >= limit * NEAR_RATIO;
  return (
    <span className="inline-flex w-44 flex-col gap-1">
      <span className={classNames(isNear && 'font-medium text-warn')}>{text}</span>
      <Meter ratio={ratio} fill={isNear ? 'fill-warn' : 'fill-accent-ground'} className="h-1" />
    </span>
  );
}
