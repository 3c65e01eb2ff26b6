import type { GrantScope, UiFrame } from '@berth/contract/agent';
import { ErrorNote, Skeleton } from '@berth/ui';
import { useAgent } from '../../api/agent-context.ts';
import { useChatTexts } from '../../text/use-chat-texts.ts';
import { visible } from '../media/visible.ts';
import { ConnectForm } from './connect-form.tsx';
import { useConnectors } from './use-connectors.ts';

export interface ConnectCardProps {
  readonly frame: UiFrame;
  onConnected(): void;
}

/** A card that asks the person to connect a connector that a turn needs. */
export function ConnectCard({ frame, onConnected }: ConnectCardProps) {
  const { t } = useChatTexts();
  const { rows, error, refresh } = useConnectors(useAgent().api);
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
      {error !== undefined && <ErrorNote error={error} onRetry={() => void refresh()} />}
      {rows === undefined && error === undefined && <Skeleton />}
      {rows !== undefined && !connector && <p>{t('connect.gone')}</p>}
      {connector && <ConnectForm connector={connector} scope={scope} onConnected={onConnected} />}
    </section>
  );
}
