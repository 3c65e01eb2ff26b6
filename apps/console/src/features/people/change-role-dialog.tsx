import type { Member, Role } from '@berth/contract';
import { Button, CopyCommand, Dialog, ErrorNote } from '@berth/ui';
import { useConsole } from '../../api/console-context.ts';
import { QUERY_KEYS } from '../../api/query-keys.ts';
import { useAction } from '../../api/use-action.ts';
import { useConsoleTexts } from '../../text/use-console-texts.ts';

interface ChangeRoleDialogProps {
  readonly member: Member;
  readonly role: Role;
  onClose(): void;
}

/** Dialog that changes a member's role and says what the new role allows. */
export function ChangeRoleDialog({ member, role, onClose }: ChangeRoleDialogProps) {
  const { t } = useConsoleTexts();
  const { client } = useConsole();
  const { user_id, name, is_you } = member;
  const change = useAction(() => client.post('/v1/user/members', { body: { user_id, role } }), {
    refreshes: is_you ? [QUERY_KEYS.members, QUERY_KEYS.user] : [QUERY_KEYS.members],
    onDone: onClose,
  });
  return (
    <Dialog
      title={t(`people.change.${role}`, { name })}
      description={t(`people.role.${role}.may`)}
      isOpen
      onClose={onClose}
    >
      <div className="flex flex-col gap-4">
        {change.error && <ErrorNote error={change.error} />}
        <div className="flex flex-wrap items-center justify-end gap-2">
          <span className="me-auto">
            <CopyCommand
              cli={`npx berth members role ${user_id} ${role}`}
              http={{ method: 'POST', path: '/v1/user/members', body: { user_id, role } }}
            />
          </span>
          <Button onClick={onClose}>{t('parts.cancel')}</Button>
          <Button look="primary" isBusy={change.isPending} onClick={() => change.mutate()}>
            {t('people.change')}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
