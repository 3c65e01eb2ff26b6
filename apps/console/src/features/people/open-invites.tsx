import type { Invite } from '@berth/contract';
import { Button, type Column, MiddleText, Time, VirtualTable } from '@berth/ui';
import { useState } from 'react';
import { QUERY_KEYS } from '../../api/query-keys.ts';
import { useRead } from '../../api/use-read.ts';
import { ConfirmAction } from '../../components/confirm-action.tsx';
import { useConsoleTexts } from '../../text/use-console-texts.ts';

/** List of the pending invitations. Renders nothing if there are none. */
export function OpenInvites() {
  const { t } = useConsoleTexts();
  const { data } = useRead(QUERY_KEYS.invites, (client, signal) => client.get('/v1/user/invites', { signal }));
  const [removing, setRemoving] = useState<Invite>();
  if (!data || data.length === 0) return null;
  const columns: readonly Column<Invite>[] = [
    {
      title: t('signIn.email'),
      track: 'minmax(0,2fr)',
      cell: ({ email }) => (email === null ? t('people.invites.anybody') : <MiddleText text={email} />),
    },
    { title: t('people.role'), track: '6rem', cell: ({ role }) => t(`people.role.${role}`) },
    {
      title: t('people.invites.expires'),
      track: '9rem',
      isWideOnly: true,
      cell: ({ expires_at }) => <Time at={expires_at} />,
    },
    {
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
      {removing && (
        <ConfirmAction
          title={t('people.invites.revoke.title')}
          description={
            removing.email === null
              ? t('people.invites.revoke.any')
              : t('people.invites.revoke.text', { email: removing.email })
          }
          action={t('people.invites.revoke')}
          command={{
            cli: `npx berth members uninvite ${removing.id}`,
            http: { method: 'DELETE', path: `/v1/user/invites?id=${removing.id}` },
          }}
          run={(client) => client.delete('/v1/user/invites', { params: { query: { id: removing.id } } })}
          refreshes={[QUERY_KEYS.invites]}
          onClose={() => setRemoving(undefined)}
        />
      )}
    </section>
  );
}
