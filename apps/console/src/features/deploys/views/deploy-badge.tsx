import type { DeploySummary } from '@berth/contract';
import { Badge, type BadgeTone } from '@berth/ui';
import { useConsoleTexts } from '../../../text/use-console-texts.ts';

const TONES: Readonly<Record<DeploySummary['status'], BadgeTone>> = {
  queued: 'warn',
  building: 'busy',
  deploying: 'busy',
  done: 'good',
  failed: 'bad',
  cancelled: 'neutral',
};

/** Badge with the status of a deploy. */
export function DeployBadge({ deploy }: { readonly deploy: DeploySummary }) {
  const { t } = useConsoleTexts();
  const { status, ended_at, is_cancel_requested } = deploy;
  if (ended_at === null && is_cancel_requested) return <Badge tone="warn" text={t('deploys.canceling')} />;
  return <Badge tone={TONES[status]} text={t(`deploys.status.${status}`)} />;
}
