import type { TrashItem } from '@berth/contract/agent';
import type { Api } from '../../api/api.ts';
import { messageOf } from '../../api/message-of.ts';
import { createStore, type Store } from '../../store/store.ts';

export interface TrashState {
  /** Undefined until they are read. */
  readonly items: readonly TrashItem[] | undefined;
  readonly problem: string | undefined;
}

/** What was deleted in the last 30 days. Changes throw {@link ApiError}. */
export interface Trash {
  readonly state: Store<TrashState>;
  refresh(): Promise<void>;
  /** Has it back; answers where it is: beside what took its place meanwhile. */
  restore(id: string): Promise<string>;
  /** Deletes it for good. */
  remove(id: string): Promise<void>;
  /** Deletes all of it for good. */
  empty(): Promise<void>;
}

export function createTrash(api: Api): Trash {
  const state = createStore<TrashState>({ items: undefined, problem: undefined });
  const pathOf = (id: string) => `/trash/${encodeURIComponent(id)}`;
  const refresh = async () => {
    try {
      state.set({ items: await api.json<readonly TrashItem[]>('/trash'), problem: undefined });
    } catch (error) {
      state.patch({ problem: messageOf(error) });
    }
  };
  const leave = (id: string) => state.patch({ items: state.get().items?.filter((item) => item.id !== id) });
  return {
    state,
    refresh,
    async restore(id) {
      const { path } = await api.json<{ path: string }>(`${pathOf(id)}/restore`, { method: 'POST' });
      leave(id);
      return path;
    },
    async remove(id) {
      await api.json(pathOf(id), { method: 'DELETE' });
      leave(id);
    },
    async empty() {
      await api.json('/trash', { method: 'DELETE' });
      await refresh();
    },
  };
}
