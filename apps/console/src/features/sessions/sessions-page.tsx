import type { SessionRow } from '@berth/contract';
import { describeUserAgent } from '@berth/kit';
import { Badge, Button, type Column, NameWithId, Time, VirtualTable } from '@berth/ui';
import { useState } from 'react';
import { QUERY_KEYS } from '../../api/query-keys.ts';
import { useRead } from '../../api/use-read.ts';
import { ConfirmAction } from '../../components/confirm-action.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { useConsoleTexts } from '../../text/use-console-texts.ts';

/** Page of the person's sessions. */
export function SessionsPage() {
  const { t } = useConsoleTexts();
  const sessions = useRead(QUERY_KEYS.sessions, (client, signal) => client.get('/v1/user/sessions', { signal }));
  const [ending, setEnding] = useState<string>();
  const columns: readonly Column<SessionRow>[] = [
    {
      title: t('sessions.device'),
      track: 'minmax(0,3fr)',
      cell: ({ id, user_agent }) => (
        <NameWithId id={id}>
          <UserAgent text={user_agent} />
        </NameWithId>
      ),
    },
    {
      title: t('sessions.address'),
      isWideOnly: true,
      cell: ({ address }) => <bdi>{address ?? t('sessions.unknown')}</bdi>,
    },
    {
      title: t('sessions.begun'),
      track: '12rem',
      isWideOnly: true,
      cell: ({ created_at }) => <Time at={created_at} look="moment" />,
    },
    {
      title: t('keys.lastUsed'),
      track: '8rem',
      isWideOnly: true,
      cell: ({ last_used_at, created_at }) => <Time at={last_used_at ?? created_at} />,
    },
    {
      title: t('sessions.end'),
      isTitleHidden: true,
      track: '6.5rem',
      cell: ({ id, is_current }) =>
        is_current ? (
          <Badge tone="good" text={t('sessions.current')} />
        ) : (
          <Button look="quiet" className="text-bad" onClick={() => setEnding(id)}>
            {t('sessions.end')}
          </Button>
        ),
    },
  ];
  return (
    <>
      <PageHead
        title={t('sessions.title')}
        command={{
          cli: 'npx berth sessions ls',
          http: { method: 'GET', path: '/v1/user/sessions' },
          secret: 'session',
        }}
      >
        {(sessions.data?.length ?? 0) > 1 && (
          <Button onClick={() => setEnding('others')}>{t('sessions.endOthers')}</Button>
        )}
      </PageHead>
      <Loaded query={sessions} rows={2}>
        {(rows) => <VirtualTable label={t('sessions.title')} rows={rows} columns={columns} rowKey={({ id }) => id} />}
      </Loaded>
      {ending !== undefined && <EndSessionDialog id={ending} onClose={() => setEnding(undefined)} />}
    </>
  );
}

/** Readable name of a client, with its `User-Agent` header as the title. */
function UserAgent({ text }: { readonly text: string | null }) {
  const { t } = useConsoleTexts();
  if (text === null || text === '') return t('sessions.unknown');
  const { program = text, system } = describeUserAgent(text) ?? {};
  return <bdi title={text}>{system === undefined ? program : t('sessions.programOn', { program, system })}</bdi>;
}

/** Dialog that ends the session `id`, or with `others` all but this browser's. */
function EndSessionDialog({ id, onClose }: { readonly id: string; onClose(): void }) {
  const { t } = useConsoleTexts();
  const areOthers = id === 'others';
  return (
    <ConfirmAction
      title={t(areOthers ? 'sessions.endOthers.title' : 'sessions.end.title')}
      description={t('sessions.end.text')}
      action={t(areOthers ? 'sessions.endOthers' : 'sessions.end')}
      command={{
        cli: areOthers ? 'npx berth sessions end --others' : `npx berth sessions end ${id}`,
        http: areOthers
          ? { method: 'POST', path: '/v1/user/sessions/end-others' }
          : { method: 'DELETE', path: `/v1/user/sessions?id=${id}` },
        secret: 'session',
      }}
      run={(client) =>
        areOthers
          ? client.post('/v1/user/sessions/end-others')
          : client.delete('/v1/user/sessions', { params: { query: { id } } })
      }
      refreshes={[QUERY_KEYS.sessions]}
      said={() => t('sessions.ended')}
      onClose={onClose}
    />
  );
}
