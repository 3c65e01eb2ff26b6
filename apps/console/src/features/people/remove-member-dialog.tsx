import type { Member } from '@berth/contract';
import { ConfirmDialog, useTell } from '@berth/ui';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useConsole } from '../../api/console-context.ts';
import { QUERY_KEYS } from '../../api/query-keys.ts';
import { useConsoleTexts } from '../../text/use-console-texts.ts';

/** Props of {@link RemoveMemberDialog}. */
export interface RemoveMemberDialogProps {
  readonly member: Member;
  onClose(): void;
}

/** Dialog that removes a member from the account. */
export function RemoveMemberDialog({ member: { user_id, name }, onClose }: RemoveMemberDialogProps) {
  const { t } = useConsoleTexts();
  const { client } = useConsole();
  const queries = useQueryClient();
  const tell = useTell();
  const remove = useMutation({
    mutationFn: () => client.delete('/v1/user/members', { params: { query: { user_id } } }),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: QUERY_KEYS.members });
      tell(t('people.removed', { name }));
      onClose();
    },
  });
  return (
    <ConfirmDialog
      title={t('people.remove.title', { name })}
      description={t('people.remove.text')}
      action={t('people.remove')}
      command={{
        cli: `npx berth members rm ${user_id}`,
        http: { method: 'DELETE', path: `/v1/user/members?user_id=${user_id}` },
      }}
      isOpen
      isBusy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    />
  );
}
