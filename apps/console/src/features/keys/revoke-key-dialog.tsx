import type { ApiKey } from '@berth/contract';
import { ConfirmDialog, useTell } from '@berth/ui';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useConsole } from '../../api/console-context.ts';
import { QUERY_KEYS } from '../../api/query-keys.ts';
import { useConsoleTexts } from '../../text/use-console-texts.ts';

/** Props of {@link RevokeKeyDialog}. */
export interface RevokeKeyDialogProps {
  readonly apiKey: ApiKey;
  onClose(): void;
}

/** Dialog that revokes an API key. */
export function RevokeKeyDialog({ apiKey: { id, name }, onClose }: RevokeKeyDialogProps) {
  const { t } = useConsoleTexts();
  const { client } = useConsole();
  const queries = useQueryClient();
  const tell = useTell();
  const revoke = useMutation({
    mutationFn: () => client.delete('/v1/user/keys', { params: { query: { id } } }),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: QUERY_KEYS.keys });
      tell(t('keys.revoked', { name }));
      onClose();
    },
  });
  return (
    <ConfirmDialog
      title={t('keys.revoke.title', { name })}
      description={t('keys.revoke.text')}
      action={t('keys.revoke')}
      command={{
        cli: `npx berth keys rm ${id}`,
        http: { method: 'DELETE', path: `/v1/user/keys?id=${id}` },
      }}
      isOpen
      isBusy={revoke.isPending}
      error={revoke.error}
      onConfirm={() => revoke.mutate()}
      onClose={onClose}
    />
  );
}
