import type { Member, Role } from '@berth/contract';
import { ROLES } from '@berth/contract/rights';
import {
  Button,
  type Column,
  Dialog,
  ErrorNote,
  IconButton,
  MiddleText,
  NameWithId,
  Select,
  Time,
  VirtualTable,
} from '@berth/ui';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { KeyRound, UserPlus } from 'lucide-react';
import { useState } from 'react';
import { useConsole } from '../../api/console-context.ts';
import { QUERY_KEYS } from '../../api/query-keys.ts';
import { useMembers } from '../../api/shared-lists.ts';
import { useAction } from '../../api/use-action.ts';
import { useRights, useUser } from '../../api/use-rights.ts';
import { ConfirmAction } from '../../components/confirm-action.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import { InviteDialog } from './invite-dialog.tsx';
import { OpenInvites } from './open-invites.tsx';
import { ResetPasswordDialog } from './reset-password-dialog.tsx';

/** Page of the account's members, their roles and the pending invitations. */
export function PeoplePage() {
  const { t } = useConsoleTexts();
  const { can, manages } = useRights();
  const [isLeaving, setLeaving] = useState(false);
  const [isInviting, setInviting] = useState(false);
  const [removing, setRemoving] = useState<Member>();
  const [resetting, setResetting] = useState<Member>();
  const members = useMembers();
  const [changing, setChanging] = useState<{ readonly member: Member; readonly role: Role }>();
  const columns: readonly Column<Member>[] = [
    {
      title: t('shell.name'),
      track: 'minmax(0,2fr)',
      cell: ({ user_id, name, is_you }) => (
        <span className="flex items-center gap-1">
          <NameWithId id={user_id}>{name}</NameWithId>
          {is_you && <span className="text-ink-soft">{t('people.you')}</span>}
        </span>
      ),
    },
    {
      title: t('signIn.email'),
      track: 'minmax(0,2fr)',
      isWideOnly: true,
      cell: ({ email }) => <MiddleText text={email} />,
    },
    {
      title: t('people.role'),
      track: 'clamp(6rem, 24vw, 8rem)',
      cell: (member) =>
        manages(member.role) ? (
          <Select<Role>
            label={`${t('people.role')}: ${member.name}`}
            isLabelHidden
            isCompact
            value={member.role}
            options={ROLES.filter(manages).map((value) => ({ value, label: t(`people.role.${value}`) }))}
            onChange={(role) => setChanging({ member, role })}
          />
        ) : (
          t(`people.role.${member.role}`)
        ),
    },
    {
      title: t('people.joined'),
      track: '9rem',
      isWideOnly: true,
      cell: ({ joined_at }) => <Time at={joined_at} />,
    },
    {
      title: t('people.remove'),
      isTitleHidden: true,
      track: 'clamp(8rem, 32vw, 9rem)',
      cell: (member) =>
        member.is_you ? (
          <Button look="quiet" onClick={() => setLeaving(true)}>
            {t('people.leave')}
          </Button>
        ) : (
          manages(member.role) && (
            <span className="flex justify-end">
              {manages('owner') && (
                <IconButton
                  icon={KeyRound}
                  label={t('people.reset', { name: member.name })}
                  onClick={() => setResetting(member)}
                />
              )}
              <Button look="quiet" className="text-bad" onClick={() => setRemoving(member)}>
                {t('people.remove')}
              </Button>
            </span>
          )
        ),
    },
  ];
  return (
    <>
      <PageHead
        title={t('people.title')}
        command={{ cli: 'npx berth members ls', http: { method: 'GET', path: '/v1/user/members' } }}
      >
        {can('admin') && (
          <Button icon={UserPlus} look="primary" onClick={() => setInviting(true)}>
            {t('people.invite')}
          </Button>
        )}
      </PageHead>
      {!can('admin') && <p className="mb-4 text-ink-soft">{t('people.rights')}</p>}
      <Loaded query={members} rows={2}>
        {(rows) => (
          <VirtualTable label={t('people.title')} rows={rows} columns={columns} rowKey={({ user_id }) => user_id} />
        )}
      </Loaded>
      {can('admin') && <OpenInvites />}
      {isInviting && <InviteDialog onClose={() => setInviting(false)} />}
      {changing && <ChangeRoleDialog {...changing} onClose={() => setChanging(undefined)} />}
      {resetting && <ResetPasswordDialog member={resetting} onClose={() => setResetting(undefined)} />}
      {isLeaving && <LeaveDialog onClose={() => setLeaving(false)} />}
      {removing && (
        <ConfirmAction
          title={t('people.remove.title', { name: removing.name })}
          description={t('people.remove.text')}
          action={t('people.remove')}
          command={{
            cli: `npx berth members rm ${removing.user_id}`,
            http: { method: 'DELETE', path: `/v1/user/members?user_id=${removing.user_id}` },
          }}
          run={(client) => client.delete('/v1/user/members', { params: { query: { user_id: removing.user_id } } })}
          refreshes={[QUERY_KEYS.members]}
          said={() => t('people.removed', { name: removing.name })}
          onClose={() => setRemoving(undefined)}
        />
      )}
    </>
  );
}

/** Dialog that confirms leaving the account. */
function LeaveDialog({ onClose }: { onClose(): void }) {
  const { t } = useConsoleTexts();
  const { accountChoice } = useConsole();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const account = useUser().data?.account.name ?? '';
  return (
    <ConfirmAction
      title={t('people.leave.title', { account })}
      description={t('people.leave.text')}
      action={t('people.leave')}
      command={{ cli: 'npx berth members leave', http: { method: 'POST', path: '/v1/user/leave' }, secret: 'session' }}
      run={(client) => client.post('/v1/user/leave')}
      said={() => t('people.left', { account })}
      onDone={async () => {
        accountChoice.forget();
        await navigate({ to: '/deployments' });
        void queries.resetQueries();
      }}
      onClose={onClose}
    />
  );
}

interface ChangeRoleDialogProps {
  readonly member: Member;
  readonly role: Role;
  onClose(): void;
}

/** Dialog that changes a member's role and says what the new role allows. */
function ChangeRoleDialog({ member, role, onClose }: ChangeRoleDialogProps) {
  const { t } = useConsoleTexts();
  const { user_id, name, is_you } = member;
  const change = useAction((client) => client.post('/v1/user/members', { body: { user_id, role } }), {
    refreshes: is_you ? [QUERY_KEYS.members, QUERY_KEYS.user] : [QUERY_KEYS.members],
    onDone: onClose,
  });
  return (
    <Dialog
      command={{
        cli: `npx berth members role ${user_id} ${role}`,
        http: { method: 'POST', path: '/v1/user/members', body: { user_id, role } },
      }}
      title={t(`people.change.${role}`, { name })}
      description={t(`people.role.${role}.may`)}
      isOpen
      onClose={onClose}
    >
      <div className="flex flex-col gap-4">
        {change.error && <ErrorNote error={change.error} />}
        <div className="flex flex-wrap items-center justify-end gap-2">
          <Button onClick={onClose}>{t('parts.cancel')}</Button>
          <Button look="primary" isBusy={change.isPending} onClick={() => change.mutate()}>
            {t('people.change')}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
