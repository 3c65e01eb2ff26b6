import type { AgentConfig } from '@berth/contract/agent';
import { applyAccent, applyThemeChoice, readThemeChoice } from '@berth/ui';
import { createRoot } from 'react-dom/client';
import './page.css';
import { refuseOtherDrops } from './components/file-drag.ts';
import { PreferencesProvider } from './components/preferences.tsx';
import { openSession } from './session/session.ts';
import { createSharedTokens } from './session/shared-tokens.ts';
import { createFixedSession, createGivenSession } from './session/token-session.ts';
import { App, type SessionState } from './shell/app.tsx';

const tokens = createSharedTokens({
  storage: sessionStorage,
  common: localStorage,
  channel: new BroadcastChannel('berth-sign-in'),
});

async function openState({ auth, sign_in }: AgentConfig): Promise<SessionState> {
  if (!auth) return { session: createFixedSession(), tokens, takeToken: undefined };
  if (sign_in === null) {
    const session = await createGivenSession(tokens);
    return { session, tokens, takeToken: (access) => tokens.set({ access }) };
  }
  if ('token' in sign_in) {
    return { session: createFixedSession(sign_in.token), tokens, takeToken: undefined };
  }
  const { session, problem, isDone } = await openSession(sign_in, tokens);
  return isDone ? 'done' : { session, tokens, takeToken: undefined, problem };
}

/** `GET /config`, which the agent writes into the page. */
const config = (window as unknown as { readonly __CONFIG__: AgentConfig }).__CONFIG__;
refuseOtherDrops();
applyThemeChoice(readThemeChoice(localStorage), document.documentElement, localStorage);
applyAccent(config.colors.primary, document.documentElement.style);
createRoot(document.getElementById('page') as HTMLElement).render(
  <PreferencesProvider>
    <App config={config} state={await openState(config)} />
  </PreferencesProvider>,
);
