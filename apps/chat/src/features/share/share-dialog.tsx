import { Button, CopyCode, Dialog, ErrorNote, Switch } from '@berth/ui';
import { useState } from 'react';
import { useAgent } from '../../api/agent-context.ts';
import { useAgentCall } from '../../api/use-agent-call.ts';
import { useChatTexts } from '../../text/use-chat-texts.ts';

/** A dialog that shares a chat, shows the link and can revoke it. */
export function ShareDialog({ chatId, onClose }: { readonly chatId: string; onClose(): void }) {
  const { t } = useChatTexts();
  const { api } = useAgent();
  const { inWorkspace, secret } = useAgentCall();
  const [isFollowing, setFollowing] = useState(false);
  const [link, setLink] = useState<{ readonly token: string; readonly absolute_url: string } | undefined>();
  const [state, setState] = useState<'start' | 'busy' | 'made' | 'revoked'>('start');
  const [error, setError] = useState<unknown>();
  const attempt = async (next: 'made' | 'revoked', work: () => Promise<unknown>) => {
    const before = state;
    setState('busy');
    setError(undefined);
    try {
      await work();
      setState(next);
    } catch (failure) {
      setError(failure);
      setState(before);
    }
  };
  const body = { path: `chat/${chatId}`, live: isFollowing };
  const share = async () => {
    setLink(await api.post('/share', { body }));
  };
  const revoke = async () => {
    await api.delete('/share/{token}', { params: { path: { token: link?.token ?? '' } } });
    setLink(undefined);
  };
  const note = { made: t('share.once'), revoked: t('share.revoked'), start: t('share.text'), busy: '' }[state];
  return (
    <Dialog
      command={{ http: inWorkspace({ method: 'POST', path: '/share', body }), secret }}
      title={t('share.title')}
      isOpen
      onClose={onClose}
    >
      <div className="flex flex-col items-stretch gap-4">
        <p role="status" className="min-h-5 text-ink-soft">
          {note}
        </p>
        {link && (
          <section aria-label={t('share.link')}>
            <CopyCode code={link.absolute_url} />
          </section>
        )}
        {error !== undefined && <ErrorNote error={error} />}
        {link ? (
          <Button className="self-end" onClick={() => void attempt('revoked', revoke)}>
            {t('share.revoke')}
          </Button>
        ) : (
          <>
            <Switch label={t('share.live')} isOn={isFollowing} onChange={setFollowing} />
            <div className="flex justify-end">
              <Button look="primary" isBusy={state === 'busy'} onClick={() => void attempt('made', share)}>
                {t('share.make')}
              </Button>
            </div>
          </>
        )}
      </div>
    </Dialog>
  );
}
