import { createApi } from './api.ts';
import { showChatPage } from './chat-page.ts';
import { element } from './element.ts';
import { createMedia } from './media.ts';
import { parsePageAddress } from './page-address.ts';
import type { PageConfig } from './page-config.ts';
import { showSharePage } from './share-page.ts';
import { openSession, type Session } from './sign-in/session.ts';
import { createFixedSession, createGivenSession } from './sign-in/token-session.ts';

declare global {
  interface Window {
    readonly __CONFIG__: PageConfig;
  }
}

/** Begins the page: signs in where that is asked for, and shows the chat or what is shared. */
async function main(): Promise<void> {
  const config = window.__CONFIG__;
  let session: Session;
  try {
    session = await sessionOf(config);
  } catch (error) {
    return show(welcome(config, String((error as Error).message)));
  }
  const isShare = location.pathname.startsWith('/shared/');
  // Of a share it says where it was shared, and not where the person works.
  const teamId = isShare ? undefined : parsePageAddress(location.search).teamId;
  const api = createApi(session, teamId);
  const media = createMedia({
    origin: location.origin,
    readFile: async (url) => (await api.send(url)).blob(),
  });
  if (isShare) {
    const address = location.pathname.replace('/shared/', '/share/').replace(/\/$/, '');
    return show(await showSharePage({ api, media, session, config, address, query: location.search }));
  }
  if (!session.isSignedIn) return show(welcome(config));
  show(await showChatPage({ api, media, session, config, teamId }));
}

async function sessionOf({ auth, sign_in }: PageConfig): Promise<Session> {
  if (!auth) return createFixedSession();
  if (!sign_in) return createGivenSession();
  return 'token' in sign_in ? createFixedSession(sign_in.token) : openSession(sign_in);
}

function show(page: HTMLElement): void {
  document.body.replaceChildren(page);
  document.getElementById('message')?.focus();
}

/** Before a sign-in, or after one that did not work. */
function welcome(config: PageConfig, problem?: string): HTMLElement {
  const note = element('p', { class: 'callout error', role: 'alert', hidden: problem === undefined }, problem ?? '');
  const signIn = async () => {
    try {
      // A new session: the one that failed holds nothing.
      await (await sessionOf(config)).signIn();
    } catch (error) {
      note.textContent = String((error as Error).message);
      note.hidden = false;
    }
  };
  return element(
    'main',
    { id: 'main', class: 'welcome' },
    element('h1', { dir: 'auto' }, config.title),
    config.description !== undefined && element('p', { dir: 'auto' }, config.description),
    note,
    element('button', { type: 'button', onClick: signIn }, 'Sign in'),
  );
}

void main();
