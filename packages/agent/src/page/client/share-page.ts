import type { Part, SharedData } from '@berth/contract/agent';
import { type Api, ApiError } from './api.ts';
import { createAnswerView, renderQuestion } from './chat/message-view.ts';
import { element } from './element.ts';
import type { Media } from './media.ts';
import { pageAddress } from './page-address.ts';
import type { PageConfig } from './page-config.ts';
import type { Session } from './sign-in/session.ts';

export interface SharePageOptions {
  readonly api: Api;
  readonly media: Media;
  readonly session: Session;
  readonly config: PageConfig;
  /** `/share/{user}/{token}`. */
  readonly address: string;
  /** Of the page's own address: `?ws=…` of what a team shares, or empty. */
  readonly query: string;
}

/** The page of a share: what was shared, to be read, and to be gone on with by who can sign in. */
export async function showSharePage(options: SharePageOptions): Promise<HTMLElement> {
  const { api, media, session, config, address, query } = options;
  const main = element('main', { id: 'main' });
  const signIn = element('button', { type: 'button', onClick: () => session.signIn() }, 'Sign in');
  let data: SharedData;
  try {
    data = await api.json<SharedData>(`${address}/data${query}`);
  } catch (error) {
    const needsSignIn = config.auth && error instanceof ApiError && error.status === 401;
    main.append(
      element('h1', {}, needsSignIn ? 'Sign in to see this' : 'Nothing is shared here'),
      element('p', {}, (error as Error).message),
      needsSignIn ? signIn : '',
    );
    return main;
  }
  document.title = `${data.title} · ${config.title}`;
  const when = new Date(data.shared_at).toLocaleString();
  main.append(element('h1', { dir: 'auto' }, data.title), element('p', { class: 'hint' }, `Shared on ${when}`));
  if (data.type === 'file') {
    main.append(element('p', {}, media.link(data.url, [document.createTextNode(`Download ${data.title}`)])));
    return main;
  }
  const messages = element('div', { class: 'messages' });
  for (const message of data.messages) {
    if (message.role === 'user') {
      messages.append(renderQuestion(message as Parameters<typeof renderQuestion>[0], media));
      continue;
    }
    const answer = createAnswerView(media);
    const text = typeof message.content === 'string' ? message.content : '';
    answer.show((message.parts as readonly Part[] | undefined) ?? [{ type: 'text', text }]);
    messages.append(answer.node);
  }
  const note = element('span', { role: 'status', class: 'hint' });
  const fork = async () => {
    if (!session.isSignedIn) return session.signIn();
    try {
      const { id } = await api.json<{ id: string }>(`${address}/fork${query}`, { method: 'POST' });
      location.assign(pageAddress({ chatId: id, teamId: undefined }));
    } catch (error) {
      note.textContent = (error as Error).message;
    }
  };
  const goOn = element('button', { type: 'button', onClick: fork }, 'Go on with a copy of your own');
  main.append(element('h2', { class: 'unseen' }, 'Conversation'), messages, element('p', {}, goOn, ' ', note));
  return main;
}
