import type { Deployment } from '@berth/contract';
import { Badge, type BadgeTone } from '@berth/ui';
import { useConsoleTexts } from '../../text/use-console-texts.ts';

const TONES: Readonly<Record<Deployment['status'], BadgeTone>> = {
  building: 'busy',
  deploying: 'busy',
  ready: 'good',
  failed: 'bad',
  deleting: 'warn',
  stopped: 'neutral',
};

/** Badge with the status of a deployment. */
export function StatusBadge({ status }: Pick<Deployment, 'status'>) {
  const { t } = useConsoleTexts();
  return <Badge tone={TONES[status]} text={t(`deployments.status.${status}`)} />;
}
