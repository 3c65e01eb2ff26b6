import type { ChatSummary } from '@berth/contract/agent';
import type { Api } from '../api.ts';
import { element } from '../element.ts';

/** The chats that the server keeps. */
export interface ChatList {
  readonly node: HTMLElement;
  /** Reads them anew, and marks the one that is open. */
  refresh(openId: string | undefined): Promise<void>;
}

export interface ChatListOptions {
  readonly api: Api;
  readonly open: (chatId: string | undefined) => void;
  readonly remove: (chat: ChatSummary) => Promise<void>;
}

const PAGE = 50;

/** A list that grows by pages, newest first. */
export function createChatList({ api, open, remove }: ChatListOptions): ChatList {
  const list = element('ul', { class: 'chats' });
  const more = element(
    'button',
    { type: 'button', class: 'quiet', hidden: true, onClick: () => grow() },
    'Older chats',
  );
  const node = element(
    'nav',
    { 'aria-label': 'Chats' },
    element('button', { type: 'button', class: 'new', onClick: () => open(undefined) }, 'New chat'),
    list,
    more,
  );
  let current: string | undefined;
  let next: string | undefined;
  /** Of the refresh that was asked for last: answers come in any order. */
  let turn = 0;

  const row = (chat: ChatSummary) => {
    const link = element(
      'a',
      {
        href: `/?id=${encodeURIComponent(chat.id)}`,
        dir: 'auto',
        'aria-current': chat.id === current && 'page',
        onClick(event: MouseEvent) {
          if (event.ctrlKey || event.metaKey || event.shiftKey) return;
          event.preventDefault();
          open(chat.id);
        },
      },
      chat.title || 'Untitled',
    );
    const button = element(
      'button',
      { type: 'button', class: 'quiet', 'aria-label': `Delete ${chat.title || 'chat'}`, onClick: () => remove(chat) },
      '×',
    );
    return element('li', {}, link, chat.run?.status === 'running' && element('span', { class: 'hint' }, '…'), button);
  };
  const read = async (cursor: string | undefined) => {
    const query = cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const response = await api.send(`/chats?limit=${PAGE}${query}`);
    next = nextCursor(response.headers.get('link'));
    more.hidden = next === undefined;
    return ((await response.json()) as ChatSummary[]).map(row);
  };
  const grow = async () => list.append(...(await read(next)));

  return {
    node,
    async refresh(openId) {
      current = openId;
      const mine = ++turn;
      const rows = await read(undefined);
      if (mine === turn) list.replaceChildren(...rows);
    },
  };
}

/** The cursor in `Link: <…>; rel="next"`. */
function nextCursor(link: string | null): string | undefined {
  const target = /<([^>]*)>\s*;\s*rel="next"/.exec(link ?? '')?.[1];
  if (target === undefined) return undefined;
  return new URL(target, location.origin).searchParams.get('cursor') ?? undefined;
}
