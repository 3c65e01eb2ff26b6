import type { DeploySummary } from '@berth/contract';
import { ConfirmDialog } from '@berth/ui';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useConsole } from '../../../api/console-context.ts';
import { QUERY_KEYS } from '../../../api/query-keys.ts';
import { useConsoleTexts } from '../../../text/use-console-texts.ts';

/** Props of {@link CancelDeploy}. */
export interface CancelDeployProps {
  readonly deploy: Pick<DeploySummary, 'deploy_id' | 'deployment'>;
  onClose(): void;
}

/** Dialog that cancels an active deploy, regardless of who started it. */
export function CancelDeploy({ deploy: { deploy_id: id, deployment: name }, onClose }: CancelDeployProps) {
  const { t } = useConsoleTexts();
  const { client } = useConsole();
  const queries = useQueryClient();
  const cancel = useMutation({
    mutationFn: () => client.post('/v1/deploys/{deploy_id}/cancel', { params: { path: { deploy_id: id } } }),
    async onSuccess() {
      onClose();
      await queries.invalidateQueries({ queryKey: QUERY_KEYS.deploys });
    },
  });
  return (
    <ConfirmDialog
      title={t('deploys.cancel.title', { name })}
      description={t('deploys.cancel.text')}
      action={t('deploys.cancel.action')}
      command={{ cli: `npx berth cancel ${id}`, http: { method: 'POST', path: `/v1/deploys/${id}/cancel` } }}
      isOpen
      isBusy={cancel.isPending}
      error={cancel.error}
      onConfirm={() => cancel.mutate()}
      onClose={onClose}
    />
  );
}
