import { ConfirmDialog, quote, useTell } from '@berth/ui';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useConsole } from '../../../api/console-context.ts';
import { QUERY_KEYS } from '../../../api/query-keys.ts';
import { useConsoleTexts } from '../../../text/use-console-texts.ts';

/** Props of {@link DeleteVolumeDialog}. */
export interface DeleteVolumeDialogProps {
  readonly name: string;
  onClose(): void;
}

/**
 * Dialog that deletes a volume and then offers to restore it. The server refuses while deployments mount the volume,
 * and its error names them.
 */
export function DeleteVolumeDialog({ name, onClose }: DeleteVolumeDialogProps) {
  const { t } = useConsoleTexts();
  const { client } = useConsole();
  const queries = useQueryClient();
  const tell = useTell();
  const refresh = () => queries.invalidateQueries({ queryKey: QUERY_KEYS.volumes });
  const restore = async () => {
    try {
      await client.post('/v1/volume/restore', { body: { name } });
      await refresh();
      tell(t('volumes.restored', { name }));
    } catch (error) {
      tell(error instanceof Error ? error.message : String(error));
    }
  };
  const remove = useMutation({
    mutationFn: () => client.post('/v1/volume/delete', { body: { name } }),
    async onSuccess() {
      await refresh();
      tell(t('volumes.deleted', { name }), { label: t('volumes.restore'), onUndo: () => void restore() });
      onClose();
    },
  });
  return (
    <ConfirmDialog
      title={t('volumes.delete.title', { name })}
      description={t('volumes.delete.text')}
      action={t('volumes.delete')}
      typedName={name}
      command={{
        cli: `npx berth volume delete ${quote(name)}`,
        http: { method: 'POST', path: '/v1/volume/delete', body: { name } },
      }}
      isOpen
      isBusy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    />
  );
}
