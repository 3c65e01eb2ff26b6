import type { ChatSummary } from '@berth/contract/agent';
import { type Api, ApiError } from '../../api/api.ts';
import { createStore, type Store } from '../../store/store.ts';

/** The chats that the server keeps, as far as they have been read: newest first. */
export interface ChatListState {
  readonly chats: readonly ChatSummary[];
  /** What the person searches for; empty for all. */
  readonly search: string;
  readonly phase: 'loading' | 'idle' | 'failed';
  readonly problem: string | undefined;
  readonly hasMore: boolean;
}

export interface ChatList {
  readonly state: Store<ChatListState>;
  /** Reads the first page anew; what is shown stays until it is there. */
  refresh(): Promise<void>;
  /** Reads the next page, once however often it is asked. */
  more(): Promise<void>;
  search(text: string): Promise<void>;
  /** @throws ApiError; the list is as before then */
  rename(chatId: string, title: string): Promise<void>;
  setFavorite(chatId: string, isFavorite: boolean): Promise<void>;
  /** Puts it into the trash; answers what takes it out again. */
  remove(chatId: string): Promise<() => Promise<void>>;
}

const PAGE = 100;

const START: ChatListState = { chats: [], search: '', phase: 'loading', problem: undefined, hasMore: false };

/** @param onChange told when another tab has to read its list anew */
export function createChatList(api: Api, nowMs: () => number, onChange: () => void): ChatList {
  const state = createStore<ChatListState>(START);
  let next: string | undefined;
  /** What the chats that are shown were searched for. */
  let shownSearch = '';
  /** Of the reading that was begun last: answers come in any order. */
  let reading = 0;

  const read = async (cursor: string | undefined) => {
    const mine = ++reading;
    const { search } = state.get();
    const query = new URLSearchParams({ limit: String(PAGE), ...(search && { q: search }), ...(cursor && { cursor }) });
    try {
      const response = await api.send(`/chats?${query}`);
      const page = (await response.json()) as ChatSummary[];
      if (mine !== reading) return;
      const after = nextCursor(response.headers.get('link'));
      const before = state.get().chats;
      // Who has read on keeps what they have read: a list that shrank would jump away under them.
      const rest = cursor === undefined && after !== undefined && search === shownSearch ? restOf(before, page) : [];
      if (rest.length === 0) next = after;
      shownSearch = search;
      const chats = cursor === undefined ? [...page, ...rest] : joined(before, page);
      state.patch({ chats, phase: 'idle', problem: undefined, hasMore: next !== undefined });
    } catch (error) {
      // A network that is away has no words of its own for a person.
      const problem = error instanceof ApiError ? error.message : undefined;
      if (mine === reading) state.patch({ phase: 'failed', problem });
    }
  };
  const change = async (chatId: string, fields: Partial<Pick<ChatSummary, 'title' | 'favoritedAt'>>) => {
    const before = state.get().chats;
    const apply = (chat: ChatSummary) => (chat.id === chatId ? { ...chat, ...fields } : chat);
    state.patch({ chats: before.map(apply) });
    try {
      await api.sendJson('PUT', `/chats/${encodeURIComponent(chatId)}`, fields);
      onChange();
    } catch (error) {
      state.patch({ chats: before });
      throw error;
    }
  };

  return {
    state,
    refresh: () => read(undefined),
    async more() {
      if (next === undefined || state.get().phase === 'loading') return;
      state.patch({ phase: 'loading' });
      await read(next);
    },
    search(text) {
      state.patch({ search: text.trim(), phase: 'loading' });
      return read(undefined);
    },
    rename: (chatId, title) => change(chatId, { title }),
    setFavorite: (chatId, isFavorite) =>
      change(chatId, { favoritedAt: isFavorite ? new Date(nowMs()).toISOString() : null }),
    async remove(chatId) {
      const before = state.get().chats;
      state.patch({ chats: before.filter(({ id }) => id !== chatId) });
      try {
        const path = `/chats/${encodeURIComponent(chatId)}`;
        const { trash_id } = await api.json<{ trash_id: string }>(path, { method: 'DELETE' });
        onChange();
        return async () => {
          await api.json(`/trash/${encodeURIComponent(trash_id)}/restore`, { method: 'POST' });
          onChange();
          await read(undefined);
        };
      } catch (error) {
        state.patch({ chats: before });
        throw error;
      }
    },
  };
}

/** A chat that moved up between two pages is in both: it stands where it was read first. */
function joined(before: readonly ChatSummary[], page: readonly ChatSummary[]): readonly ChatSummary[] {
  const ids = new Set(before.map(({ id }) => id));
  return [...before, ...page.filter(({ id }) => !ids.has(id))];
}

/** What is known to follow a first page that was read anew; nothing where the two don't meet any more. */
function restOf(before: readonly ChatSummary[], page: readonly ChatSummary[]): readonly ChatSummary[] {
  const end = before.findIndex(({ id }) => id === page.at(-1)?.id);
  if (end < 0) return [];
  const ids = new Set(page.map(({ id }) => id));
  return before.slice(end + 1).filter(({ id }) => !ids.has(id));
}

/** The cursor in `Link: <…>; rel="next"`. */
function nextCursor(link: string | null): string | undefined {
  const target = /<([^>]*)>\s*;\s*rel="next"/.exec(link ?? '')?.[1];
  if (target === undefined) return undefined;
  return new URL(target, 'http://localhost').searchParams.get('cursor') ?? undefined;
}
