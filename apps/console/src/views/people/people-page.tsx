import type { Member, Role } from '@berth/contract';
import { Button, type Column, CopyCommand, ErrorNote, MiddleText, Select, Skeleton, VirtualTable } from '@berth/web';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { UserPlus } from 'lucide-react';
import { useState } from 'react';
import { PageHead } from '../../shell/page-head.tsx';
import { useConsole } from '../../state/console-context.ts';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import { InviteDialog } from './invite-dialog.tsx';
import { OpenInvites } from './open-invites.tsx';
import { RemoveMemberDialog } from './remove-member-dialog.tsx';

const ROLES = ['owner', 'admin', 'member'] as const satisfies readonly Role[];

/** The people of the account, what they may do, and who is invited. */
export function PeoplePage() {
  const { t, formats } = useConsoleTexts();
  const { client } = useConsole();
  const queries = useQueryClient();
  const [isInviting, setInviting] = useState(false);
  const [removing, setRemoving] = useState<Member>();
  const { data, error, refetch } = useQuery({
    queryKey: ['members'],
    queryFn: ({ signal }) => client.listMembers({ signal }),
  });
  const change = useMutation({
    mutationFn: ({ id, role }: { id: string; role: Role }) => client.changeMember(id, role),
    onSettled: () => queries.invalidateQueries({ queryKey: ['members'] }),
  });
  const columns: readonly Column<Member>[] = [
    {
      key: 'name',
      title: t('people.name'),
      track: 'minmax(0,2fr)',
      cell: ({ name, is_you }) => (
        <span title={name}>
          <bdi>{name}</bdi> {is_you && <span className="text-ink-soft">{t('people.you')}</span>}
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
      track: '8rem',
      cell: ({ user_id, name, role }) => (
        <Select<Role>
          label={`${t('people.role')}: ${name}`}
          isLabelHidden
          isCompact
          value={role}
          options={ROLES.map((value) => ({ value, label: t(`people.role.${value}`) }))}
          onChange={(next) => change.mutate({ id: user_id, role: next })}
        />
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
        !member.is_you && (
          <Button look="quiet" className="text-bad" onClick={() => setRemoving(member)}>
            {t('people.remove')}
          </Button>
        ),
    },
  ];
  return (
    <>
      <PageHead title={t('people.title')}>
        <CopyCommand cli="npx berth members ls" http={{ method: 'GET', path: '/v1/user/members' }} />
        <Button look="primary" onClick={() => setInviting(true)}>
          <UserPlus aria-hidden className="size-4" />
          {t('people.invite')}
        </Button>
      </PageHead>
      {change.error && <ErrorNote error={change.error} />}
      {error && !data && <ErrorNote error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton rows={2} />}
      {data && (
        <VirtualTable label={t('people.title')} rows={data} columns={columns} rowKey={({ user_id }) => user_id} />
      )}
      <OpenInvites />
      {isInviting && <InviteDialog onClose={() => setInviting(false)} />}
      {removing && <RemoveMemberDialog member={removing} onClose={() => setRemoving(undefined)} />}
    </>
  );
}
