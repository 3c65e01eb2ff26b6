import type { AgentConfig } from '@berth/contract/agent';
import { type ReactNode, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { AgentContext } from '../api/agent-context.ts';
import { type Api, createApi } from '../api/api.ts';
import type { FileUrl } from '../api/file-path.ts';
import { ChatsContext } from '../features/chats/chats-context.ts';
import { OpenChatContext } from '../features/conversation/state/open-chat-context.ts';
import { createDiagramDrawer } from '../features/diagrams/diagram-drawer.ts';
import { DiagramDrawerContext } from '../features/diagrams/diagram-drawer-context.ts';
import { openFrameEasel } from '../features/diagrams/open-frame-easel.ts';
import { FileReaderContext } from '../features/media/file-reader-context.ts';
import { SharePage } from '../features/share/share-page.tsx';
import { SignInPage } from '../features/sign-in/sign-in-page.tsx';
import { SignedInPage } from '../features/sign-in/signed-in-page.tsx';
import { TokenDialog } from '../features/sign-in/token-dialog.tsx';
import { parsePageAddress } from '../page/page-address.ts';
import type { Session } from '../session/session.ts';
import type { SharedTokens } from '../session/shared-tokens.ts';
import { useChatTexts } from '../text/use-chat-texts.ts';
import { ChatPage } from './chat-page.tsx';
import { createPage } from './create-page.ts';

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
  return (
    <MediaProvider api={api}>
      <SharePage {...{ api, session, config }} onSignIn={() => void signIn()} />
    </MediaProvider>
  );
}

function ChatApp({ config, session, tokens, signIn }: PlaceProps) {
  const { t } = useChatTexts();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another language must not begin the page anew
  const page = useMemo(() => {
    const { teamId } = parsePageAddress(location.search);
    return createPage({
      config,
      session,
      tokens,
      teamId,
      tooLarge: (count) => t('compose.tooLarge', { count }),
      lost: () => t('files.lost'),
    });
  }, [config, session, tokens]);
  useEffect(() => {
    document.title = config.title;
  }, [config]);
  return (
    <AgentContext value={page.agent}>
      <OpenChatContext value={page.openChat}>
        <ChatsContext value={page.chats}>
          <MediaProvider api={page.agent.api}>
            <ChatPage onSignIn={signIn} />
          </MediaProvider>
        </ChatsContext>
      </OpenChatContext>
    </AgentContext>
  );
}

/** Gives messages and previews inside it the files and diagrams that they show. */
function MediaProvider({ api, children }: { readonly api: Api; readonly children: ReactNode }) {
  const media = useMemo(
    () => ({
      readFile: async (url: FileUrl) => await (await api.send(url)).blob(),
      diagrams: createDiagramDrawer({
        openEasel: openFrameEasel,
        schedule(work, delayMs) {
          const timer = setTimeout(work, delayMs);
          return () => clearTimeout(timer);
        },
      }),
    }),
    [api],
  );
  return (
    <FileReaderContext value={media.readFile}>
      <DiagramDrawerContext value={media.diagrams}>{children}</DiagramDrawerContext>
    </FileReaderContext>
  );
}
