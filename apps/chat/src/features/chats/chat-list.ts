import type { ChatSummary } from '@berth/contract/agent';
import { createStore, type Store } from '@berth/ui/store';
import { type Api, ApiError, createCalls } from '../../api/api.ts';

/** The loaded part of the server's chat list, newest first. */
export interface ChatListState {
  readonly chats: readonly ChatSummary[];
  /** The search text; empty for all chats. */
  readonly search: string;
  readonly phase: 'loading' | 'idle' | 'failed';
  readonly problem: string | undefined;
  readonly hasMore: boolean;
}

const PAGE = 100;

const START: ChatListState = { chats: [], search: '', phase: 'loading', problem: undefined, hasMore: false };

/** The list of the person's chats. */
export type ChatList = ReturnType<typeof createChatList>;

/** Creates an empty list. @param onChange called after a change, so that other tabs can refresh their lists */
export function createChatList(api: Api, nowMs: () => number, onChange: () => void) {
  const state = createStore<ChatListState>(START);
  let next: string | undefined;
  /** The search text of the chats that are shown. */
  let shownSearch = '';
  /** Number of the latest read: responses may arrive in any order. */
  let reading = 0;
  /** Number of reads under way. */
  let pending = 0;

  const read = async (cursor: string | undefined) => {
    const mine = ++reading;
    pending += 1;
    const { search } = state.get();
    let link: string | null = null;
    const { get } = createCalls(async (path, init) => {
      const response = await api.send(path, init);
      link = response.headers.get('link');
      return response;
    });
    try {
      const query = { limit: PAGE, ...(search && { q: search }), ...(cursor && { cursor }) };
      const page = await get('/chats', { params: { query } });
      if (mine !== reading) return;
      const after = nextCursor(link);
      const before = state.get().chats;
      // Keep the later pages that are already loaded: a shorter list would jump while the person scrolls.
      const rest = cursor === undefined && after !== undefined && search === shownSearch ? restOf(before, page) : [];
      if (rest.length === 0) next = after;
      shownSearch = search;
      const chats = cursor === undefined ? [...page, ...rest] : joined(before, page);
      state.patch({ chats, phase: 'idle', problem: undefined, hasMore: next !== undefined });
    } catch (error) {
      // The message of a network error is not meant for people.
      const problem = error instanceof ApiError ? error.message : undefined;
      if (mine === reading) state.patch({ phase: 'failed', problem });
    } finally {
      pending -= 1;
    }
  };
  type Apply = (chats: readonly ChatSummary[]) => readonly ChatSummary[];
  /** Changes the list at once and the server after it; `undo` restores the list when the server refuses. */
  const change = async <Answer>(apply: Apply, undo: Apply, request: () => Promise<Answer>): Promise<Answer> => {
    const before = pending === 0 ? reading : undefined;
    state.patch({ chats: apply(state.get().chats) });
    try {
      const answer = await request();
      onChange();
      return answer;
    } catch (error) {
      state.patch({ chats: undo(state.get().chats) });
      throw error;
    } finally {
      // A read that was under way meanwhile may have the list as it was before.
      if (reading !== before) void read(undefined);
    }
  };
  const put = (chatId: string, fields: Partial<Pick<ChatSummary, 'title' | 'favoritedAt'>>) => {
    const old = state.get().chats.find(({ id }) => id === chatId);
    const withFields =
      (of: typeof fields): Apply =>
      (chats) =>
        chats.map((chat) => (chat.id === chatId ? { ...chat, ...of } : chat));
    const before = Object.fromEntries(Object.keys(fields).map((key) => [key, old?.[key as keyof typeof fields]]));
    return change(withFields(fields), withFields(before), async () => {
      await api.put('/chats/{id}', { params: { path: { id: chatId } }, body: fields });
    });
  };

  return {
    state: state as Store<ChatListState>,
    /** Reads the first page again; the current chats stay visible meanwhile. */
    refresh: () => read(undefined),
    /** Reads the next page; does nothing while a page is loading. */
    async more() {
      if (next === undefined || state.get().phase === 'loading') return;
      state.patch({ phase: 'loading' });
      await read(next);
    },
    /** Shows only the chats that match `text`. */
    search(text: string) {
      state.patch({ search: text.trim(), phase: 'loading' });
      return read(undefined);
    },
    /** Renames a chat. @throws ApiError, after restoring the list */
    rename: (chatId: string, title: string) => put(chatId, { title }),
    /** Adds a chat to the favorites or removes it. @throws ApiError, after restoring the list */
    setFavorite: (chatId: string, isFavorite: boolean) =>
      put(chatId, { favoritedAt: isFavorite ? new Date(nowMs()).toISOString() : null }),
    /** Moves a chat to the trash. Returns a function that restores it. @throws ApiError, after restoring the list */
    async remove(chatId: string) {
      const index = state.get().chats.findIndex(({ id }) => id === chatId);
      const old = state.get().chats.slice(Math.max(0, index), index + 1);
      const without: Apply = (chats) => chats.filter(({ id }) => id !== chatId);
      const { trash_id } = await change(
        without,
        (chats) => without(chats).toSpliced(index, 0, ...old),
        () => api.delete('/chats/{id}', { params: { path: { id: chatId } } }),
      );
      return async () => {
        await api.post('/trash/{id}/restore', { params: { path: { id: trash_id } } });
        onChange();
        await read(undefined);
      };
    },
  };
}

/** Joins two pages. A chat that moved between the two reads is in both and keeps its first position. */
function joined(before: readonly ChatSummary[], page: readonly ChatSummary[]): readonly ChatSummary[] {
  const ids = new Set(before.map(({ id }) => id));
  return [...before, ...page.filter(({ id }) => !ids.has(id))];
}

/** Returns the loaded chats that follow a new first page; empty when the page no longer overlaps with them. */
function restOf(before: readonly ChatSummary[], page: readonly ChatSummary[]): readonly ChatSummary[] {
  const end = before.findIndex(({ id }) => id === page.at(-1)?.id);
  if (end < 0) return [];
  const ids = new Set(page.map(({ id }) => id));
  return before.slice(end + 1).filter(({ id }) => !ids.has(id));
}

/** Returns the cursor from a header `Link: <…>; rel="next"`. */
function nextCursor(link: string | null): string | undefined {
  const target = /<([^>]*)>\s*;\s*rel="next"/.exec(link ?? '')?.[1];
  if (target === undefined) return undefined;
  return new URL(target, 'http://localhost').searchParams.get('cursor') ?? undefined;
}
