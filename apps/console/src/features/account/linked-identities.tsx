import type { LinkedIdentity } from '@berth/contract';
import { BerthError } from '@berth/kit';
import { Button, ErrorNote, Time, useCommand } from '@berth/ui';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useConsole } from '../../api/console-context.ts';
import { QUERY_KEYS } from '../../api/query-keys.ts';
import { useIdentities } from '../../api/shared-lists.ts';
import { ConfirmAction } from '../../components/confirm-action.tsx';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import { useSignInWays } from '../sign-in/use-sign-in-ways.ts';
import { AccountSection } from './account-section.tsx';

/**
 * List of the identity providers linked to the person, with buttons to link others. Renders nothing if there are none.
 */
export function LinkedIdentities() {
  const { t } = useConsoleTexts();
  const { client } = useConsole();
  const [removing, setRemoving] = useState<LinkedIdentity>();
  const ways = useSignInWays();
  const { data } = useIdentities();
  const connect = useMutation({
    mutationFn: (provider: string) =>
      client.post('/v1/user/identities', { body: { provider, return_to: location.pathname } }),
    onSuccess: ({ url }) => location.assign(url),
  });
  const linked = data?.identities ?? [];
  const offered = (ways.data ?? []).filter(({ kind }) => kind === 'oidc');
  const others = offered.filter(({ id }) => !linked.some(({ provider }) => provider === id));
  useCommand({
    label: t('ways.linked.title'),
    cli: 'npx berth identities ls',
    http: { method: 'GET', path: '/v1/user/identities' },
    secret: 'session',
  });
  if (!data || linked.length + offered.length === 0) return null;
  return (
    <AccountSection title={t('ways.linked.title')} text={t('ways.linked.text')}>
      {linked.length === 0 && <p className="mb-3 text-ink-soft">{t('ways.linked.none')}</p>}
      <ul className="mb-3 flex flex-col divide-y divide-line rounded-md border border-line empty:hidden">
        {linked.map((identity) => (
          <li key={identity.id} className="flex min-h-12 items-center gap-3 px-3">
            <span className="min-w-0 flex-1">
              <bdi className="block truncate font-medium" title={identity.issuer}>
                {identity.name}
              </bdi>
              <span className="text-xs text-ink-soft">
                {identity.provider === null ? (
                  t('ways.linked.gone')
                ) : (
                  <Time at={identity.created_at} says={(ago) => t('ways.linked.since', { ago })} />
                )}
              </span>
            </span>
            <Button look="quiet" className="text-bad" onClick={() => setRemoving(identity)}>
              {t('ways.linked.remove')}
            </Button>
          </li>
        ))}
      </ul>
      {connect.error &&
        (BerthError.is(connect.error, 'forbidden') ? (
          <p role="alert" className="mb-3 text-bad">
            {t('ways.linked.stale')}
          </p>
        ) : (
          <ErrorNote error={connect.error} />
        ))}
      <div className="flex flex-wrap justify-end gap-2">
        {others.map(({ id, name }) => (
          <Button key={id} isBusy={connect.isPending && connect.variables === id} onClick={() => connect.mutate(id)}>
            {t('ways.linked.connect', { name })}
          </Button>
        ))}
      </div>
      {removing && (
        <ConfirmAction
          title={t('ways.linked.remove.title', { name: removing.name })}
          description={t('ways.linked.remove.text')}
          action={t('ways.linked.remove')}
          command={{
            cli: `npx berth identities rm ${removing.id}`,
            http: { method: 'DELETE', path: `/v1/user/identities?id=${removing.id}` },
            secret: 'session',
          }}
          run={(client) => client.delete('/v1/user/identities', { params: { query: { id: removing.id } } })}
          refreshes={[QUERY_KEYS.identities]}
          said={() => t('ways.linked.removed', { name: removing.name })}
          onClose={() => setRemoving(undefined)}
        />
      )}
    </AccountSection>
  );
}
