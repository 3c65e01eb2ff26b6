import './styles.css';
import { createSystemClock } from '@berth/kit';
import { applyThemeChoice, chooseLanguage, readThemeChoice } from '@berth/ui';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createAccountChoice } from './api/account-choice.ts';
import { createPlatform } from './api/create-platform.ts';
import { createSession } from './api/create-session.ts';
import { createDeployRun } from './features/deploys/state/create-deploy-run.ts';
import { createPasskeyBrowser } from './features/passkeys/passkey-browser.ts';
import { signInAtAgents } from './features/sign-in/sign-in-at-agents.ts';
import { takeLinkSecret } from './features/sign-in/take-link-secret.ts';
import { createSendFile } from './features/volumes/uploads/state/send-file.ts';
import { createXhrStorage } from './features/volumes/uploads/state/storage-request.ts';
import { createUploadJournal } from './features/volumes/uploads/state/upload-journal.ts';
import { createUploadQueue } from './features/volumes/uploads/state/upload-queue.ts';
import { App } from './shell/app.tsx';
import { loadMessages } from './text/load-messages.ts';

applyThemeChoice(readThemeChoice(localStorage), document.documentElement, localStorage);
const linkSecret = takeLinkSecret(location, history);
const accountChoice = createAccountChoice(sessionStorage);
const session = createSession({
  platform: () => platform,
  channel: new BroadcastChannel('berth.session'),
  onEnter: (personId) => accountChoice.enter(personId),
});
const platform = createPlatform({
  baseUrl: location.origin,
  fetch: fetch.bind(globalThis),
  accountId: () => accountChoice.id,
  renew: (signal) => session.renew(signal),
});
const uploads = createUploadQueue(
  createSendFile({
    client: platform.client,
    storage: createXhrStorage(),
    journal: sessionStorage,
    clock: createSystemClock(),
  }),
  createUploadJournal(sessionStorage),
);
const deployRun = createDeployRun({ client: platform.client, storage: sessionStorage });
const language = chooseLanguage(localStorage, navigator.languages);
const [messages] = await Promise.all([loadMessages(language), session.check()]);
signInAtAgents(session, platform);
createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <App
      api={{ ...platform, session, accountChoice, linkSecret }}
      deployRun={deployRun}
      uploads={uploads}
      passkeys={createPasskeyBrowser()}
      language={language}
      messages={messages}
    />
  </StrictMode>,
);
