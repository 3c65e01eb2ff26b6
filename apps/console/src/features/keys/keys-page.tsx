import type { ApiKey } from '@berth/contract';
import { Button, type Column, CopyCommand, EmptyState, ErrorNote, MiddleText, Skeleton, VirtualTable } from '@berth/ui';
import { useQuery } from '@tanstack/react-query';
import { KeyRound, Plus } from 'lucide-react';
import { useState } from 'react';
import { useConsole } from '../../api/console-context.ts';
import { keysQuery } from '../../api/shared-queries.ts';
import { PageHead } from '../../components/page-head.tsx';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import { CreateKeyDialog } from './create-key-dialog.tsx';
import { RevokeKeyDialog } from './revoke-key-dialog.tsx';

/** Page of the account's API keys. */
export function KeysPage() {
  const { t, formats } = useConsoleTexts();
  const { client } = useConsole();
  const [isCreating, setCreating] = useState(false);
  const [revoking, setRevoking] = useState<ApiKey>();
  const { data, error, refetch } = useQuery(keysQuery(client));
  const since = (at: string | null) => (at === null ? t('keys.never') : formats.ago(at, Date.now()));
  const columns: readonly Column<ApiKey>[] = [
    { key: 'name', title: t('keys.name'), track: 'minmax(0,2fr)', cell: ({ name }) => <MiddleText text={name} /> },
    {
      key: 'start',
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
      key: 'scopes',
      title: t('keys.scopes'),
      track: 'minmax(0,3fr)',
      isWideOnly: true,
      cell: ({ scopes }) => <span title={scopes.join(', ')}>{scopes.join(', ')}</span>,
    },
    { key: 'used', title: t('keys.lastUsed'), track: '8rem', cell: ({ last_used_at }) => since(last_used_at) },
    {
      key: 'expires',
      title: t('keys.expires'),
      track: '8rem',
      isWideOnly: true,
      cell: ({ expires_at }) => since(expires_at),
    },
    {
      key: 'revoke',
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
      <PageHead title={t('keys.title')}>
        <CopyCommand cli="npx berth keys ls" http={{ method: 'GET', path: '/v1/user/keys' }} />
        <Button look="primary" onClick={() => setCreating(true)}>
          <Plus aria-hidden className="size-4" />
          {t('keys.create')}
        </Button>
      </PageHead>
      {error && !data && <ErrorNote error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton rows={3} />}
      {data?.length === 0 && (
        <EmptyState
          icon={KeyRound}
          title={t('keys.empty.title')}
          text={t('keys.empty.text')}
          command="npx berth keys create ci"
        />
      )}
      {data && data.length > 0 && (
        <VirtualTable label={t('keys.title')} rows={data} columns={columns} rowKey={({ id }) => id} />
      )}
      {isCreating && <CreateKeyDialog onClose={() => setCreating(false)} />}
      {revoking && <RevokeKeyDialog apiKey={revoking} onClose={() => setRevoking(undefined)} />}
    </>
  );
}
