import type { Invite } from '@berth/contract';
import { Button, type Column, MiddleText, VirtualTable } from '@berth/ui';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useConsole } from '../../api/console-context.ts';
import { QUERY_KEYS } from '../../api/query-keys.ts';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import { TakeBackInviteDialog } from './take-back-invite-dialog.tsx';

/** List of the pending invitations. Renders nothing if there are none. */
export function OpenInvites() {
  const { t, formats } = useConsoleTexts();
  const { client } = useConsole();
  const { data } = useQuery({
    queryKey: QUERY_KEYS.invites,
    queryFn: ({ signal }) => client.get('/v1/user/invites', { signal }),
  });
  const [removing, setRemoving] = useState<Invite>();
  if (!data || data.length === 0) return null;
  const columns: readonly Column<Invite>[] = [
    {
      key: 'email',
      title: t('people.email'),
      track: 'minmax(0,2fr)',
      cell: ({ email }) => (email === null ? t('people.invites.anybody') : <MiddleText text={email} />),
    },
    { key: 'role', title: t('people.role'), track: '6rem', cell: ({ role }) => t(`people.role.${role}`) },
    {
      key: 'expires',
      title: t('people.invites.expires'),
      track: '9rem',
      isWideOnly: true,
      cell: ({ expires_at }) => formats.ago(expires_at, Date.now()),
    },
    {
      key: 'revoke',
      title: t('people.invites.revoke'),
      isTitleHidden: true,
      track: '6.5rem',
      cell: (invite) => (
        <Button look="quiet" className="text-bad" onClick={() => setRemoving(invite)}>
          {t('people.invites.revoke')}
        </Button>
      ),
    },
  ];
  return (
    <section className="mt-8">
      <h2 className="mb-2 font-semibold">{t('people.invites')}</h2>
      <VirtualTable label={t('people.invites')} rows={data} columns={columns} rowKey={({ id }) => id} />
      {removing && <TakeBackInviteDialog invite={removing} onClose={() => setRemoving(undefined)} />}
    </section>
  );
}
