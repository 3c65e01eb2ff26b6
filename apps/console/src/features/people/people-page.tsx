import type { Member, Role } from '@berth/contract';
import { ROLES } from '@berth/contract/rights';
import { Button, type Column, CopyCommand, ErrorNote, MiddleText, Select, Skeleton, VirtualTable } from '@berth/ui';
import { useQuery } from '@tanstack/react-query';
import { UserPlus } from 'lucide-react';
import { useState } from 'react';
import { useConsole } from '../../api/console-context.ts';
import { membersQuery } from '../../api/shared-queries.ts';
import { useRights } from '../../api/use-rights.ts';
import { PageHead } from '../../components/page-head.tsx';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import { ChangeRoleDialog } from './change-role-dialog.tsx';
import { InviteDialog } from './invite-dialog.tsx';
import { LeaveDialog } from './leave-dialog.tsx';
import { OpenInvites } from './open-invites.tsx';
import { RemoveMemberDialog } from './remove-member-dialog.tsx';

/** Page of the account's members, their roles and the pending invitations. */
export function PeoplePage() {
  const { t, formats } = useConsoleTexts();
  const { client } = useConsole();
  const { can, manages } = useRights();
  const [isLeaving, setLeaving] = useState(false);
  const [isInviting, setInviting] = useState(false);
  const [removing, setRemoving] = useState<Member>();
  const { data, error, refetch } = useQuery(membersQuery(client));
  const [changing, setChanging] = useState<{ readonly member: Member; readonly role: Role }>();
  const columns: readonly Column<Member>[] = [
    {
      key: 'name',
      title: t('people.name'),
      track: 'minmax(0,2fr)',
      cell: ({ name, is_you }) => (
        <span title={name} className="flex gap-1">
          <bdi className="truncate">{name}</bdi> {is_you && <span className="text-ink-soft">{t('people.you')}</span>}
        </span>
      ),
    },
    {
      key: 'email',
      title: t('people.email'),
      track: 'minmax(0,2fr)',
      isWideOnly: true,
      cell: ({ email }) => <MiddleText text={email} />,
    },
    {
      key: 'role',
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
      key: 'joined',
      title: t('people.joined'),
      track: '9rem',
      isWideOnly: true,
      cell: ({ joined_at }) => formats.ago(joined_at, Date.now()),
    },
    {
      key: 'remove',
      title: t('people.remove'),
      isTitleHidden: true,
      track: '5.5rem',
      cell: (member) =>
        member.is_you ? (
          <Button look="quiet" onClick={() => setLeaving(true)}>
            {t('people.leave')}
          </Button>
        ) : (
          manages(member.role) && (
            <Button look="quiet" className="text-bad" onClick={() => setRemoving(member)}>
              {t('people.remove')}
            </Button>
          )
        ),
    },
  ];
  return (
    <>
      <PageHead title={t('people.title')}>
        <CopyCommand cli="npx berth members ls" http={{ method: 'GET', path: '/v1/user/members' }} />
        {can('admin') && (
          <Button look="primary" onClick={() => setInviting(true)}>
            <UserPlus aria-hidden className="size-4" />
            {t('people.invite')}
          </Button>
        )}
      </PageHead>
      {!can('admin') && <p className="mb-4 text-ink-soft">{t('people.rights')}</p>}
      {error && !data && <ErrorNote error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton rows={2} />}
      {data && (
        <VirtualTable label={t('people.title')} rows={data} columns={columns} rowKey={({ user_id }) => user_id} />
      )}
      {can('admin') && <OpenInvites />}
      {isInviting && <InviteDialog onClose={() => setInviting(false)} />}
      {changing && <ChangeRoleDialog {...changing} onClose={() => setChanging(undefined)} />}
      {isLeaving && <LeaveDialog onClose={() => setLeaving(false)} />}
      {removing && <RemoveMemberDialog member={removing} onClose={() => setRemoving(undefined)} />}
    </>
  );
}
