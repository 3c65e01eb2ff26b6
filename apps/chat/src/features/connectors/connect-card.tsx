import type { GrantScope, UiFrame } from '@berth/contract/agent';
import { Button, ErrorNote, Skeleton } from '@berth/ui';
import { useCallback, useState } from 'react';
import { useAgent } from '../../api/agent-context.ts';
import { useLoaded } from '../../components/use-loaded.ts';
import { useChatTexts } from '../../text/use-chat-texts.ts';
import { visible } from '../media/visible.ts';
import { ConnectForm } from './connect-form.tsx';

export interface ConnectCardProps {
  readonly frame: UiFrame;
  /** Called when the connector is connected. Resolves with false if the answer can't continue on its own. */
  onConnected(): Promise<boolean>;
  /** Continues with a message, which only the person may send. */
  onContinue(): void;
}

/** A card that asks the person to connect a connector that a turn needs. */
export function ConnectCard({ frame, onConnected, onContinue }: ConnectCardProps) {
  const { t } = useChatTexts();
  const { api } = useAgent();
  const { value: rows, error, reload } = useLoaded(useCallback(() => api.get('/connectors'), [api]));
  const name = String(frame['connector'] ?? '');
  const title = visible(String(frame['title'] ?? name));
  const scope = (['user', 'workspace'] as const).find((one): one is GrantScope => one === frame['scope']);
  const connector = rows?.find((row) => row.name === name);
  const [outcome, setOutcome] = useState<{ readonly error?: unknown }>();
  const goOn = async () => {
    setOutcome(undefined);
    try {
      if (!(await onConnected())) setOutcome({});
    } catch (failure) {
      setOutcome({ error: failure });
    }
  };
  return (
    <section
      aria-label={t('connect.card', { title })}
      className="my-3 flex flex-col gap-3 rounded-lg border border-line-strong bg-raised p-4"
    >
      <strong dir="auto">{t('connect.needs', { title })}</strong>
      {error !== undefined && <ErrorNote error={error} onRetry={() => void reload()} />}
      {rows === undefined && error === undefined && <Skeleton />}
      {rows !== undefined && !connector && <p>{t('connect.gone')}</p>}
      {connector && <ConnectForm connector={connector} scope={scope} onConnected={() => void goOn()} />}
      {outcome?.error !== undefined && <ErrorNote error={outcome.error} onRetry={() => void goOn()} />}
      {outcome && outcome.error === undefined && (
        <Button className="self-start" onClick={onContinue}>
          {t('message.continue')}
        </Button>
      )}
    </section>
  );
}
