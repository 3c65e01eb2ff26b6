import { useQueryClient } from '@tanstack/react-query';
import { QUERY_KEYS } from '../../api/query-keys.ts';
import { ConfirmAction } from '../../components/confirm-action.tsx';
import { useConsoleTexts } from '../../text/use-console-texts.ts';

interface DeleteDeploymentProps {
  readonly name: string;
  /** Called once it is deleted, before its data is forgotten. */
  onDeleted?(): Promise<void>;
  onClose(): void;
}

/** Dialog that deletes a deployment after its name has been typed. */
export function DeleteDeployment({ name, onDeleted, onClose }: DeleteDeploymentProps) {
  const { t } = useConsoleTexts();
  const queries = useQueryClient();
  return (
    <ConfirmAction
      title={t('deployment.delete.title', { name })}
      description={t('deployment.delete.text')}
      action={t('deployment.delete')}
      typedName={name}
      command={{
        cli: `npx berth rm ${name}`,
        http: { method: 'POST', path: '/v1/deployment/delete', body: { name } },
      }}
      run={(client) => client.post('/v1/deployment/delete', { body: { name } })}
      refreshes={[QUERY_KEYS.deployments]}
      said={() => t('deployment.deleted', { name })}
      onDone={async () => {
        await onDeleted?.();
        queries.removeQueries({ queryKey: QUERY_KEYS.deployment(name) });
      }}
      onClose={onClose}
    />
  );
}
