import type { ApiKey } from '@berth/contract';
import { Button, type Column, EmptyState, MiddleText, NameWithId, Time, VirtualTable } from '@berth/ui';
import { KeyRound, Plus } from 'lucide-react';
import { useState } from 'react';
import { QUERY_KEYS } from '../../api/query-keys.ts';
import { useKeys } from '../../api/shared-lists.ts';
import { ConfirmAction } from '../../components/confirm-action.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import { CreateKeyDialog } from './create-key-dialog.tsx';

/** Page of the account's API keys. */
export function KeysPage() {
  const { t } = useConsoleTexts();
  const [isCreating, setCreating] = useState(false);
  const [revoking, setRevoking] = useState<ApiKey>();
  const keys = useKeys();
  const since = (at: string | null) => (at === null ? t('keys.never') : <Time at={at} />);
  const columns: readonly Column<ApiKey>[] = [
    {
      title: t('shell.name'),
      track: 'minmax(0,2fr)',
      cell: ({ id, name }) => (
        <NameWithId id={id}>
          <MiddleText text={name} />
        </NameWithId>
      ),
    },
    {
      title: t('keys.start'),
      track: '9rem',
      isWideOnly: true,
      cell: ({ start }) => (
        <code dir="ltr" className="font-mono text-xs">
          {start}…
        </code>
      ),
    },
    {
      title: t('keys.scopes'),
      track: 'minmax(0,3fr)',
      isWideOnly: true,
      cell: ({ scopes }) => <span title={scopes.join(', ')}>{scopes.join(', ')}</span>,
    },
    { title: t('keys.lastUsed'), track: '8rem', cell: ({ last_used_at }) => since(last_used_at) },
    {
      title: t('keys.expires'),
      track: '8rem',
      isWideOnly: true,
      cell: ({ expires_at }) => since(expires_at),
    },
    {
      title: t('keys.revoke'),
      isTitleHidden: true,
      track: '5.5rem',
      cell: (key) => (
        <Button look="quiet" className="text-bad" onClick={() => setRevoking(key)}>
          {t('keys.revoke')}
        </Button>
      ),
    },
  ];
  return (
    <>
      <PageHead
        title={t('nav.keys')}
        command={{ cli: 'npx berth keys ls', http: { method: 'GET', path: '/v1/user/keys' } }}
      >
        <Button icon={Plus} look="primary" onClick={() => setCreating(true)}>
          {t('keys.create')}
        </Button>
      </PageHead>
      <Loaded
        query={keys}
        rows={3}
        empty={
          <EmptyState
            icon={KeyRound}
            title={t('keys.empty.title')}
            text={t('keys.empty.text')}
            command="npx berth keys create ci"
          />
        }
      >
        {(rows) => <VirtualTable label={t('nav.keys')} rows={rows} columns={columns} rowKey={({ id }) => id} />}
      </Loaded>
      {isCreating && <CreateKeyDialog onClose={() => setCreating(false)} />}
      {revoking && (
        <ConfirmAction
          title={t('keys.revoke.title', { name: revoking.name })}
          description={t('keys.revoke.text')}
          action={t('keys.revoke')}
          command={{
            cli: `npx berth keys rm ${revoking.id}`,
            http: { method: 'DELETE', path: `/v1/user/keys?id=${revoking.id}` },
          }}
          run={(client) => client.delete('/v1/user/keys', { params: { query: { id: revoking.id } } })}
          refreshes={[QUERY_KEYS.keys]}
          said={() => t('keys.revoked', { name: revoking.name })}
          onClose={() => setRevoking(undefined)}
        />
      )}
    </>
  );
}
