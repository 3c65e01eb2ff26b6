import type { AgentConfig, SharedData } from '@berth/contract/agent';
import { Button, ErrorNote, Skeleton } from '@berth/ui';
import { GitFork } from 'lucide-react';
import { lazy, Suspense, useCallback, useEffect, useMemo, useState } from 'react';
import { type Api, ApiError } from '../../api/api.ts';
import { useLoaded } from '../../components/use-loaded.ts';
import { pageAddress } from '../../page/page-address.ts';
import type { Session } from '../../session/session.ts';
import { useChatTexts } from '../../text/use-chat-texts.ts';
import { ArtifactsContext } from '../artifacts/artifacts-context.ts';
import { useArtifactPane } from '../artifacts/use-artifact-pane.ts';
import { MessageList } from '../conversation/groups/message-list.tsx';
import { answerParts, toItem } from '../conversation/state/items.ts';
import { drawMessage } from '../conversation/views/draw-message.tsx';
import { MessageLink } from '../media/message-link.tsx';

// Not part of the first load.
const ArtifactPane = lazy(async () => ({ default: (await import('../artifacts/artifact-pane.tsx')).ArtifactPane }));

export interface SharePageProps {
  readonly api: Api;
  readonly session: Session;
  readonly config: AgentConfig;
  /** Starts a sign-in. */
  onSignIn(): void;
}

/** The page of a shared chat or file. People who can sign in can continue a shared chat as their own copy. */
export function SharePage({ api, session, config, onSignIn }: SharePageProps) {
  const { t } = useChatTexts();
  const { value: data, error } = useLoaded(
    useCallback(() => api.get('/share/{user}/{token}/data', { params: shareParams() }), [api]),
  );
  const [problem, setProblem] = useState<unknown>();
  /** True from the press until the page leaves or the copy fails: each request makes a copy. */
  const [isForking, setForking] = useState(false);
  useEffect(() => {
    if (data) document.title = `${data.title} · ${config.title}`;
  }, [data, config]);
  if (error !== undefined) {
    const needsSignIn = config.auth && error instanceof ApiError && error.status === 401;
    return (
      <main className="m-auto flex max-w-md flex-col items-center gap-4 px-4 text-center">
        <h1 className="text-xl font-semibold">{needsSignIn ? t('share.needsSignIn') : t('share.none')}</h1>
        {needsSignIn ? (
          <Button look="primary" onClick={onSignIn}>
            {t('sign.in')}
          </Button>
        ) : (
          <p className="text-ink-soft">{t('share.noneText')}</p>
        )}
      </main>
    );
  }
  if (!data) {
    return (
      <main className="mx-auto w-full max-w-3xl p-4">
        <Skeleton shape="chat" rows={4} />
      </main>
    );
  }
  const fork = async () => {
    if (!session.isSignedIn) return onSignIn();
    setForking(true);
    setProblem(undefined);
    try {
      const { id } = await api.post('/share/{user}/{token}/fork', { params: shareParams() });
      location.assign(pageAddress({ chatId: id, teamId: undefined }));
    } catch (failure) {
      setProblem(failure);
      setForking(false);
    }
  };
  return <Shared data={data} config={config} error={problem} isForking={isForking} onFork={() => void fork()} />;
}

/** Reads the share from the address of the page. @throws URIError for an address that isn't encoded well */
function shareParams() {
  const [, , user = '', token = ''] = location.pathname.split('/').map(decodeURIComponent);
  const ws = new URLSearchParams(location.search).get('ws');
  return { path: { user, token }, query: ws === null ? {} : { ws } };
}

interface SharedProps {
  readonly data: SharedData;
  readonly config: Pick<AgentConfig, 'title' | 'favicon'>;
  readonly error: unknown;
  readonly isForking: boolean;
  onFork(): void;
}

function Shared({ data, config, error, isForking, onFork }: SharedProps) {
  const { t, formats } = useChatTexts();
  const items = useMemo(() => (data.type === 'file' ? [] : data.messages.map(toItem)), [data]);
  const answers = useMemo(() => answerParts(items), [items]);
  const { opened, artifacts, close } = useArtifactPane(answers);
  return (
    <ArtifactsContext value={artifacts}>
      <main className="mx-auto flex w-full max-w-3xl flex-col gap-6 px-4 py-8">
        <header className="flex flex-col gap-1 border-b border-line pb-4">
          <p className="mb-3 flex items-center gap-2 font-medium">
            <img src={config.favicon} alt="" className="size-6 rounded-md" />
            <bdi>{config.title}</bdi>
          </p>
          <h1 dir="auto" className="from-start text-xl font-semibold wrap-anywhere">
            {data.title}
          </h1>
          <p className="text-ink-soft">{t('share.on', { date: formats.time(data.shared_at) })}</p>
        </header>
        {data.type === 'file' ? (
          <p>
            <MessageLink href={data.url}>{t('share.download', { name: data.title })}</MessageLink>
          </p>
        ) : (
          <>
            <h2 className="sr-only">{t('page.conversation')}</h2>
            <MessageList items={items} draw={drawMessage} drawTail={drawMessage} tailFrom={items.length} />
            {error !== undefined && <ErrorNote error={error} />}
            <Button look="primary" className="self-center" isBusy={isForking} onClick={onFork}>
              <GitFork aria-hidden className="size-4" />
              {t('share.fork')}
            </Button>
          </>
        )}
      </main>
      <Suspense>
        {opened && <ArtifactPane key={opened.key + opened.code} {...{ opened, answers }} isOver onClose={close} />}
      </Suspense>
    </ArtifactsContext>
  );
}
