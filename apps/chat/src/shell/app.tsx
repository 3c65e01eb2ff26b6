import type { AgentConfig } from '@berth/contract/agent';
import { useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { createApi } from '../api/api.ts';
import { createMedia, MediaContext } from '../features/media/media-context.ts';
import { SharePage } from '../features/share/share-page.tsx';
import { SignInPage } from '../features/sign-in/sign-in-page.tsx';
import { SignedInPage } from '../features/sign-in/signed-in-page.tsx';
import { TokenDialog } from '../features/sign-in/token-dialog.tsx';
import { createChatPage } from '../page/page.ts';
import { parsePageAddress } from '../page/page-address.ts';
import { PageContext } from '../page/page-context.ts';
import type { Session } from '../session/session.ts';
import type { SharedTokens } from '../session/shared-tokens.ts';
import { useChatTexts } from '../text/use-chat-texts.ts';
import { ChatPage } from './chat-page.tsx';

/** How this browser's person signs in. */
export type SessionState =
  | {
      readonly session: Session;
      readonly tokens: SharedTokens;
      /** Given where a token has to be typed in. */
      readonly takeToken: ((token: string) => void) | undefined;
      /** Why a sign-in did not work that the person comes back from. */
      readonly problem?: unknown;
    }
  /** This window was for signing in only, and could not close itself. */
  | 'done';

export interface AppProps {
  readonly config: AgentConfig;
  readonly state: SessionState;
}

/** The page for whoever is here: a share, the sign-in, or the chat. */
export function App({ config, state }: AppProps) {
  return state === 'done' ? <SignedInPage config={config} /> : <SignedApp config={config} {...state} />;
}

type SignedAppProps = Exclude<SessionState, string> & { readonly config: AgentConfig };

function SignedApp({ config, session, tokens, takeToken, problem }: SignedAppProps) {
  const [isAsking, setAsking] = useState(false);
  const isSignedIn = useSyncExternalStore(session.subscribe, () => session.isSignedIn);
  // Signed in once, the page stays: what ends meanwhile is asked for beside it.
  const [hasBegun, setBegun] = useState(isSignedIn);
  if (isSignedIn && !hasBegun) setBegun(true);
  const signIn = async (how: 'signIn' | 'signInAgain') => {
    if (takeToken) setAsking(true);
    else await session[how]();
  };
  const place = () => {
    if (location.pathname.startsWith('/shared/')) {
      return <ShareApp key={String(isSignedIn)} {...{ config, session }} signIn={() => signIn('signIn')} />;
    }
    if (!hasBegun) return <SignInPage config={config} problem={problem} onSignIn={() => signIn('signIn')} />;
    return <ChatApp {...{ config, session, tokens }} signIn={() => signIn('signInAgain')} />;
  };
  const take = (token: string) => {
    setAsking(false);
    takeToken?.(token);
  };
  return (
    <>
      {place()}
      {isAsking && <TokenDialog onToken={take} onClose={() => setAsking(false)} />}
    </>
  );
}

interface PlaceProps {
  readonly config: AgentConfig;
  readonly session: Session;
  readonly tokens: SharedTokens;
  signIn(): Promise<void>;
}

function ShareApp({ config, session, signIn }: Omit<PlaceProps, 'tokens'>) {
  // Of a share the address says where it was shared, and not where the person works.
  const api = useMemo(() => createApi(session), [session]);
  const media = useMemo(() => createMedia(api), [api]);
  return (
    <MediaContext value={media}>
      <SharePage {...{ api, session, config }} onSignIn={() => void signIn()} />
    </MediaContext>
  );
}

function ChatApp({ config, session, tokens, signIn }: PlaceProps) {
  const { t } = useChatTexts();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another language must not begin the page anew
  const page = useMemo(() => {
    const { teamId } = parsePageAddress(location.search);
    return createChatPage({
      config,
      session,
      tokens,
      teamId,
      tooLarge: (count) => t('compose.tooLarge', { count }),
      lost: () => t('files.lost'),
    });
  }, [config, session, tokens]);
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
