import './styles.css';
import type { Client } from '@berth/client';
import { createSystemClock } from '@berth/kit';
import { applyThemeChoice, chooseLanguage, readThemeChoice } from '@berth/ui';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createAccountChoice } from './api/account-choice.ts';
import { createConsoleClient } from './api/create-console-client.ts';
import { createSession, type SessionStore } from './api/create-session.ts';
import { createDeployRun } from './features/deploys/state/create-deploy-run.ts';
import { createPasskeyBrowser } from './features/passkeys/passkey-browser.ts';
import { takeLinkSecret } from './features/sign-in/take-link-secret.ts';
import { createSendFile } from './features/volumes/uploads/state/send-file.ts';
import { createXhrStorage } from './features/volumes/uploads/state/storage-request.ts';
import { createUploadJournal } from './features/volumes/uploads/state/upload-journal.ts';
import { createUploadQueue } from './features/volumes/uploads/state/upload-queue.ts';
import { App } from './shell/app.tsx';
import { router } from './shell/router.tsx';
import { loadMessages } from './text/load-messages.ts';

applyThemeChoice(readThemeChoice(localStorage), document.documentElement, localStorage);
const linkSecret = takeLinkSecret(location, history);
const accountChoice = createAccountChoice(sessionStorage);
const session = createSession({
  client: () => client,
  channel: new BroadcastChannel('berth.session'),
  onEnter: (personId) => accountChoice.enter(personId),
});
const language = chooseLanguage(localStorage, navigator.languages);
const client = createConsoleClient({
  language,
  baseUrl: location.origin,
  fetch: fetch.bind(globalThis),
  accountId: () => accountChoice.id,
  renew: (signal) => session.renew(signal),
});
const uploads = createUploadQueue(
  createSendFile({
    client,
    storage: createXhrStorage(),
    journal: sessionStorage,
    clock: createSystemClock(),
  }),
  createUploadJournal(sessionStorage),
);
const deployRun = createDeployRun({ client, storage: sessionStorage });
// The page's code loads while the session is checked. A page that fails to load says so when it is rendered.
void router.preloadRoute({ to: location.pathname as '/' }).catch(() => {});
const [messages] = await Promise.all([loadMessages(language), session.check()]);
signInAtAgents(session, client);
createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <App
      api={{ client, session, accountChoice, linkSecret }}
      deployRun={deployRun}
      uploads={uploads}
      passkeys={createPasskeyBrowser()}
      language={language}
      messages={messages}
    />
  </StrictMode>,
);

/** Signs the person in at the account's agents whenever they sign in at the console. */
function signInAtAgents(session: Pick<SessionStore, 'state' | 'subscribe'>, client: Pick<Client, 'post'>): void {
  let before: string = 'unknown';
  const look = () => {
    const isNew = session.state === 'signed-in' && before !== 'signed-in';
    before = session.state;
    if (!isNew) return;
    // If this fails, the agents ask the person to sign in.
    client.post('/v1/user/sign-in-at-agents').catch(() => {});
  };
  session.subscribe(look);
  look();
}
