import type { GrantScope, UiFrame } from '@berth/contract/agent';
import { ErrorNote, Skeleton } from '@berth/ui';
import { useCallback } from 'react';
import { useAgent } from '../../api/agent-context.ts';
import { useLoaded } from '../../components/use-loaded.ts';
import { useChatTexts } from '../../text/use-chat-texts.ts';
import { visible } from '../media/visible.ts';
import { ConnectForm } from './connect-form.tsx';

/** A card that asks the person to connect a connector that a turn needs. */
export function ConnectCard({ frame, onConnected }: { readonly frame: UiFrame; onConnected(): void }) {
  const { t } = useChatTexts();
  const { api } = useAgent();
  const { value: rows, error, reload } = useLoaded(useCallback(() => api.get('/connectors'), [api]));
  const name = String(frame['connector'] ?? '');
  const title = visible(String(frame['title'] ?? name));
  const scope = (['user', 'workspace'] as const).find((one): one is GrantScope => one === frame['scope']);
  const connector = rows?.find((row) => row.name === name);
  return (
    <section
      aria-label={t('connect.card', { title })}
      className="my-3 flex flex-col gap-3 rounded-lg border border-line-strong bg-raised p-4"
    >
      <strong dir="auto">{t('connect.needs', { title })}</strong>
      {error !== undefined && <ErrorNote error={error} onRetry={() => void reload()} />}
      {rows === undefined && error === undefined && <Skeleton />}
      {rows !== undefined && !connector && <p>{t('connect.gone')}</p>}
      {connector && <ConnectForm connector={connector} scope={scope} onConnected={onConnected} />}
    </section>
  );
}
