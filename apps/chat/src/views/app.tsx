import type { AgentConfig } from '@berth/contract/agent';
import { useEffect, useMemo, useState } from 'react';
import { createApi } from '../state/api.ts';
import { createChatPage } from '../state/page.ts';
import { parsePageAddress } from '../state/page-address.ts';
import type { Session } from '../state/sign-in/session.ts';
import { useChatTexts } from '../text/use-chat-texts.ts';
import { ChatPage } from './chat-page.tsx';
import { createMedia, MediaContext } from './media-context.ts';
import { PageContext } from './page-context.ts';
import { SharePage } from './share/share-page.tsx';
import { SignInPage } from './sign-in-page.tsx';
import { TokenDialog } from './token-dialog.tsx';

/** How this browser's person signs in, or why that did not work. */
export type SessionState =
  | { readonly session: Session; readonly takeToken: ((token: string) => void) | undefined }
  | { readonly problem: unknown; retry(): Promise<void> };

export interface AppProps {
  readonly config: AgentConfig;
  readonly state: SessionState;
}

/** The page for whoever is here: a share, the sign-in, or the chat. */
export function App({ config, state }: AppProps) {
  if ('problem' in state) return <SignInPage config={config} problem={state.problem} onSignIn={state.retry} />;
  return <SignedApp config={config} {...state} />;
}

interface SignedAppProps {
  readonly config: AgentConfig;
  readonly session: Session;
  /** Given where a token has to be typed in. */
  readonly takeToken: ((token: string) => void) | undefined;
}

function SignedApp({ config, session, takeToken }: SignedAppProps) {
  const [isAsking, setAsking] = useState(false);
  const signIn = async () => {
    if (takeToken) setAsking(true);
    else await session.signIn();
  };
  const place = () => {
    if (location.pathname.startsWith('/shared/')) return <ShareApp {...{ config, session, signIn }} />;
    if (!session.isSignedIn) return <SignInPage config={config} onSignIn={signIn} />;
    return <ChatApp {...{ config, session, signIn }} />;
  };
  return (
    <>
      {place()}
      {isAsking && takeToken && <TokenDialog onToken={takeToken} onClose={() => setAsking(false)} />}
    </>
  );
}

interface PlaceProps {
  readonly config: AgentConfig;
  readonly session: Session;
  signIn(): Promise<void>;
}

function ShareApp({ config, session, signIn }: PlaceProps) {
  // Of a share the address says where it was shared, and not where the person works.
  const api = useMemo(() => createApi(session), [session]);
  const media = useMemo(() => createMedia(api), [api]);
  return (
    <MediaContext value={media}>
      <SharePage {...{ api, session, config }} onSignIn={() => void signIn()} />
    </MediaContext>
  );
}

function ChatApp({ config, session, signIn }: PlaceProps) {
  const { t } = useChatTexts();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another language must not begin the page anew
  const page = useMemo(() => {
    const { teamId } = parsePageAddress(location.search);
    return createChatPage({
      config,
      session,
      teamId,
      tooLarge: (count) => t('compose.tooLarge', { count }),
      lost: () => t('files.lost'),
    });
  }, [config, session]);
  const media = useMemo(() => createMedia(page.api), [page]);
  useEffect(() => {
    document.title = config.title;
  }, [config]);
  return (
    <PageContext value={page}>
      <MediaContext value={media}>
        <ChatPage onSignIn={signIn} />
      </MediaContext>
    </PageContext>
  );
}
