import type { AgentConfig } from '@berth/contract/agent';
import { applyThemeChoice, readThemeChoice } from '@berth/web';
import { createRoot } from 'react-dom/client';
import './page.css';
import { openSession } from './state/sign-in/session.ts';
import { createFixedSession, createGivenSession } from './state/sign-in/token-session.ts';
import type { SignInConfig } from './state/sign-in-config.ts';
import { App, type SessionState } from './views/app.tsx';
import { PreferencesProvider } from './views/preferences.tsx';

async function openState({ auth, sign_in }: AgentConfig): Promise<SessionState> {
  if (!auth) return { session: createFixedSession(), takeToken: undefined };
  if (sign_in === null) {
    const session = createGivenSession();
    return { session, takeToken: session.take };
  }
  if (typeof sign_in['token'] === 'string') {
    return { session: createFixedSession(sign_in['token']), takeToken: undefined };
  }
  const config = sign_in as unknown as SignInConfig;
  try {
    return { session: await openSession(config), takeToken: undefined };
  } catch (problem) {
    // A new session: the one that failed holds nothing.
    return { problem, retry: async () => await (await openSession(config)).signIn() };
  }
}

/** `GET /config`, which the agent writes into the page. */
const config = (window as unknown as { readonly __CONFIG__: AgentConfig }).__CONFIG__;
applyThemeChoice(readThemeChoice(localStorage), document.documentElement, localStorage);
createRoot(document.getElementById('page') as HTMLElement).render(
  <PreferencesProvider>
    <App config={config} state={await openState(config)} />
  </PreferencesProvider>,
);
