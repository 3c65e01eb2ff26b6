import { ConfirmDialog, useTell } from '@berth/ui';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useConsole } from '../../api/console-context.ts';
import { QUERY_KEYS } from '../../api/query-keys.ts';
import { useConsoleTexts } from '../../text/use-console-texts.ts';

/** Props of {@link DeleteDeployment}. */
export interface DeleteDeploymentProps {
  readonly name: string;
  onClose(): void;
}

/** Dialog that deletes a deployment after its name is typed. */
export function DeleteDeployment({ name, onClose }: DeleteDeploymentProps) {
  const { t } = useConsoleTexts();
  const { client } = useConsole();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const tell = useTell();
  const remove = useMutation({
    mutationFn: () => client.post('/v1/deployment/delete', { body: { name } }),
    async onSuccess() {
      tell(t('deployment.deleted', { name }));
      await navigate({ to: '/deployments' });
      queries.removeQueries({ queryKey: QUERY_KEYS.deployment(name) });
      await queries.invalidateQueries({ queryKey: QUERY_KEYS.deployments });
    },
  });
  return (
    <ConfirmDialog
      title={t('deployment.delete.title', { name })}
      description={t('deployment.delete.text')}
      action={t('deployment.delete')}
      typedName={name}
      command={{
        cli: `npx berth rm ${name}`,
        http: { method: 'POST', path: '/v1/deployment/delete', body: { name } },
      }}
      isOpen
      isBusy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    />
  );
}
