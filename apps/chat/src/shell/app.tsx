import type { AgentConfig } from '@berth/contract/agent';
import { type ReactNode, useMemo, useState, useSyncExternalStore } from 'react';
import { AgentContext } from '../api/agent-context.ts';
import { type Api, createApi } from '../api/api.ts';
import type { FileUrl } from '../api/file-path.ts';
import { FieldDialog } from '../components/field-dialog.tsx';
import { ChatsContext } from '../features/chats/chats-context.ts';
import { OpenChatContext } from '../features/conversation/state/open-chat-context.ts';
import { createDiagramDrawer } from '../features/diagrams/diagram-drawer.ts';
import { DiagramDrawerContext } from '../features/diagrams/diagram-drawer-context.ts';
import { openFrameRenderer } from '../features/diagrams/open-frame-renderer.ts';
import { FileReaderContext } from '../features/media/use-file.ts';
import { SharePage } from '../features/share/share-page.tsx';
import { SignedInPage, SignInPage } from '../features/sign-in/sign-in-page.tsx';
import { parsePageAddress } from '../page/page-address.ts';
import type { Session } from '../session/session.ts';
import type { SharedTokens } from '../session/shared-tokens.ts';
import { schedule } from '../store/schedule.ts';
import { useChatTexts } from '../text/use-chat-texts.ts';
import { ChatPage } from './chat-page.tsx';
import { createPage } from './create-page.ts';

/** How the person signs in, and what came of a sign-in just now. */
export type SessionState =
  | {
      readonly session: Session;
      readonly tokens: SharedTokens;
      /** Given where the person has to enter a token. */
      readonly takeToken: ((token: string) => void) | undefined;
      /** Error of the sign-in that the person returns from. */
      readonly problem?: unknown;
    }
  /** This window was opened only to sign in, and the browser didn't let it close itself. */
  | 'done';

/** The root component: a shared chat, the sign-in, or the chat page. */
export function App({ config, state }: { readonly config: AgentConfig; readonly state: SessionState }) {
  return state === 'done' ? <SignedInPage config={config} /> : <SignedApp config={config} {...state} />;
}

type SignedAppProps = Exclude<SessionState, string> & { readonly config: AgentConfig };

function SignedApp({ config, session, tokens, takeToken, problem }: SignedAppProps) {
  const { t } = useChatTexts();
  const [isAsking, setAsking] = useState(false);
  const isSignedIn = useSyncExternalStore(session.subscribe, () => session.isSignedIn);
  // Once signed in the page stays; an expired session is renewed in a dialog above it.
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
  return (
    <>
      {place()}
      {isAsking && (
        <FieldDialog
          title={t('sign.in')}
          label={t('sign.token')}
          hint={t('sign.tokenHint')}
          action={t('sign.in')}
          {...{ type: 'password', autoComplete: 'off', dir: 'ltr' }}
          onSubmit={async (token) => takeToken?.(token)}
          onClose={() => setAsking(false)}
        />
      )}
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
  // The address of a share names the workspace it was shared from, not the person's own.
  const api = useMemo(() => createApi(session), [session]);
  return (
    <MediaProvider api={api}>
      <SharePage {...{ api, session, config }} onSignIn={() => void signIn()} />
    </MediaProvider>
  );
}

function ChatApp({ config, session, tokens, signIn }: PlaceProps) {
  const page = useMemo(() => {
    const { teamId } = parsePageAddress(location.search);
    return createPage({ config, session, tokens, teamId });
  }, [config, session, tokens]);
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

/** Provides the file reader and the diagram drawer to messages and previews. */
function MediaProvider({ api, children }: { readonly api: Api; readonly children: ReactNode }) {
  const media = useMemo(
    () => ({
      readFile: async (url: FileUrl) => await (await api.send(url)).blob(),
      diagrams: createDiagramDrawer({
        openRenderer: openFrameRenderer,
        schedule,
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
