import type { Member } from '@berth/contract';
import { ConfirmDialog } from '@berth/ui';
import { useAction } from '../../api/use-action.ts';
import { ShowOnceDialog } from '../../components/show-once-dialog.tsx';
import { useConsoleTexts } from '../../text/use-console-texts.ts';

interface ResetPasswordDialogProps {
  readonly member: Member;
  onClose(): void;
}

/** Dialog that creates a link with which a member sets a new password, and shows it once. */
export function ResetPasswordDialog({ member: { user_id, name, email }, onClose }: ResetPasswordDialogProps) {
  const { t } = useConsoleTexts();
  const body = { user: user_id };
  const create = useAction((client) => client.post('/v1/user/members/reset-password', { body }));
  if (create.data) {
    return (
      <ShowOnceDialog
        title={t('people.reset.made.title', { name })}
        text={t('people.reset.made.text')}
        code={create.data.link}
        onClose={onClose}
      />
    );
  }
  return (
    <ConfirmDialog
      title={t('people.reset.title', { name })}
      description={t('people.reset.text', { name })}
      action={t('people.invite.create')}
      look="primary"
      command={{
        cli: `npx berth members reset-password ${email}`,
        http: { method: 'POST', path: '/v1/user/members/reset-password', body },
      }}
      isOpen
      isBusy={create.isPending}
      error={create.error}
      onConfirm={() => create.mutate()}
      onClose={onClose}
    />
  );
}
