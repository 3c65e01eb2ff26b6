import type { Invite } from '@berth/contract';
import { ConfirmDialog } from '@berth/ui';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useConsole } from '../../api/console-context.ts';
import { QUERY_KEYS } from '../../api/query-keys.ts';
import { useConsoleTexts } from '../../text/use-console-texts.ts';

/** Props of {@link TakeBackInviteDialog}. */
export interface TakeBackInviteDialogProps {
  readonly invite: Invite;
  onClose(): void;
}

/** Dialog that revokes an invitation. */
export function TakeBackInviteDialog({ invite: { id, email }, onClose }: TakeBackInviteDialogProps) {
  const { t } = useConsoleTexts();
  const { client } = useConsole();
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: () => client.delete('/v1/user/invites', { params: { query: { id } } }),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: QUERY_KEYS.invites });
      onClose();
    },
  });
  return (
    <ConfirmDialog
      title={t('people.invites.revoke.title')}
      description={email === null ? t('people.invites.revoke.any') : t('people.invites.revoke.text', { email })}
      action={t('people.invites.revoke')}
      command={{
        cli: `npx berth members uninvite ${id}`,
        http: { method: 'DELETE', path: `/v1/user/invites?id=${id}` },
      }}
      isOpen
      isBusy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    />
  );
}
