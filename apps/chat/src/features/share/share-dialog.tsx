import type { ShareView } from '@berth/contract/agent';
import { Button, CopyCode, Dialog, ErrorNote, Skeleton, Switch, Time } from '@berth/ui';
import { useCallback, useState } from 'react';
import { useAgent } from '../../api/agent-context.ts';
import { useAgentCall } from '../../api/use-agent-call.ts';
import { useLoaded } from '../../components/use-loaded.ts';
import { useChatTexts } from '../../text/use-chat-texts.ts';

/** A dialog that lists the person's links to a chat, creates links and revokes them. */
export function ShareDialog({ chatId, onClose }: { readonly chatId: string; onClose(): void }) {
  const { t } = useChatTexts();
  const { api } = useAgent();
  const { inWorkspace, secret } = useAgentCall();
  const path = `chat/${chatId}`;
  const load = useCallback(async () => (await api.get('/share')).filter((share) => share.path === path), [api, path]);
  const { value: links, error, change } = useLoaded(load);
  const [isFollowing, setFollowing] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [note, setNote] = useState<'share.once' | 'share.revoked' | undefined>();
  const attempt = async (done: NonNullable<typeof note>, work: Promise<unknown>) => {
    setBusy(true);
    setNote(undefined);
    // A failure is shown with the list.
    const told = work.then(() => setNote(done));
    await change(told);
    setBusy(false);
  };
  const body = { path, live: isFollowing };
  const revoke = (id: string) =>
    attempt('share.revoked', api.delete('/share/{token}', { params: { path: { token: id } } }));
  return (
    <Dialog
      command={{ http: inWorkspace({ method: 'POST', path: '/share', body }), secret }}
      title={t('share.title')}
      isOpen
      onClose={onClose}
    >
      <div className="flex flex-col items-stretch gap-4">
        <p className="text-ink-soft">{t('share.text')}</p>
        {links === undefined && error === undefined && <Skeleton />}
        {links !== undefined && links.length > 0 && (
          <section aria-label={t('share.links')}>
            <ul className="flex max-h-72 flex-col gap-4 overflow-y-auto">
              {links.map((link) => (
                <LinkRow key={link.id} {...{ link, isBusy }} onRevoke={() => void revoke(link.id)} />
              ))}
            </ul>
          </section>
        )}
        <p role="status" className="min-h-5">
          {note && t(note)}
        </p>
        {error !== undefined && <ErrorNote error={error} />}
        <Switch label={t('share.live')} isOn={isFollowing} onChange={setFollowing} />
        <div className="flex flex-wrap justify-end gap-2">
          <Button
            look="primary"
            isBusy={isBusy}
            onClick={() => void attempt('share.once', api.post('/share', { body }))}
          >
            {t('share.make')}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}

interface LinkRowProps {
  readonly link: ShareView;
  readonly isBusy: boolean;
  onRevoke(): void;
}

function LinkRow({ link, isBusy, onRevoke }: LinkRowProps) {
  const { t } = useChatTexts();
  return (
    <li className="flex flex-col gap-1">
      {link.absolute_url === undefined ? <p>{t('share.unreadable')}</p> : <CopyCode code={link.absolute_url} />}
      <div className="flex flex-wrap items-center justify-between gap-x-3">
        <p className="text-xs text-ink-soft">
          {t('share.byYou')} <Time at={link.shared_at} />
          {link.live && <> · {t('share.isLive')}</>}
          {link.expires_at !== null && (
            <>
              {' · '}
              {t('share.expires')} <Time at={link.expires_at} />
            </>
          )}
        </p>
        <Button look="quiet" disabled={isBusy} onClick={onRevoke}>
          {t('share.revoke')}
        </Button>
      </div>
    </li>
  );
}
