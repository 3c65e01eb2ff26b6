import type { Deployment, PlanLimits } from '@berth/contract';
import { parseMemory } from '@berth/contract/resources';
import { useQuery } from '@tanstack/react-query';
import { useConsole } from '../../../api/console-context.ts';
import { deploymentsQuery, volumesQuery } from '../../../api/shared-queries.ts';
import { useConsoleTexts } from '../../../text/use-console-texts.ts';
import { FactList } from './fact-list.tsx';
import { Share } from './share.tsx';

/** The plan's limits with their current use. */
export function Limits({ limits }: { readonly limits: PlanLimits }) {
  const { t, formats } = useConsoleTexts();
  const { client } = useConsole();
  const deployments = useQuery(deploymentsQuery(client));
  const volumes = useQuery(volumesQuery(client));
  const storedBytes = volumes.data?.reduce((total, { size_bytes }) => total + size_bytes, 0);
  /** Per-deployment limits are compared with the largest deployment. */
  const most = (of: (deployment: Deployment) => number) => deployments.data && Math.max(0, ...deployments.data.map(of));
  return (
    <FactList
      title={t('billing.limits')}
      facts={[
        [
          t('billing.limit.deployments'),
          <Share key="share" used={deployments.data?.length} limit={limits.deployments} format={formats.number} />,
        ],
        [
          t('billing.limit.volumes'),
          <Share key="share" used={volumes.data?.length} limit={limits.volumes} format={formats.number} />,
        ],
        [
          t('billing.limit.storage'),
          <Share key="share" used={storedBytes} limit={limits.storage_bytes} format={formats.bytes} />,
        ],
        [t('billing.limit.maxInstances'), formats.number(limits.max_instances)],
        [
          t('billing.limit.memory'),
          <Share
            key="share"
            used={most(({ memory }) => parseMemory(memory) ?? 0)}
            limit={parseMemory(limits.memory) ?? 0}
            format={formats.bytes}
          />,
        ],
        [t('billing.limit.logs'), t('billing.limit.days', { count: limits.log_retention_days })],
      ]}
    />
  );
}
