import type { TrashItem } from '@berth/contract/agent';
import type { Api } from '../../api/api.ts';
import { messageOf } from '../../api/message-of.ts';
import { createStore, type Store } from '../../store/store.ts';

/** The state of the trash. */
export interface TrashState {
  /** Undefined until the items are read. */
  readonly items: readonly TrashItem[] | undefined;
  readonly problem: string | undefined;
}

/** The chats and files deleted in the last 30 days. Changes throw {@link ApiError}. */
export interface Trash {
  readonly state: Store<TrashState>;
  refresh(): Promise<void>;
  /** Restores an item and returns its path, which differs from the old path if that is taken. */
  restore(id: string): Promise<string>;
  /** Permanently deletes an item. */
  remove(id: string): Promise<void>;
  /** Permanently deletes all items. */
  empty(): Promise<void>;
}

/** Creates a trash without data; {@link Trash.refresh} reads it. */
export function createTrash(api: Api): Trash {
  const state = createStore<TrashState>({ items: undefined, problem: undefined });
  const refresh = async () => {
    try {
      state.set({ items: await api.get('/trash'), problem: undefined });
    } catch (error) {
      state.patch({ problem: messageOf(error) });
    }
  };
  const leave = (id: string) => state.patch({ items: state.get().items?.filter((item) => item.id !== id) });
  return {
    state,
    refresh,
    async restore(id) {
      const { path } = await api.post('/trash/{id}/restore', { params: { path: { id } } });
      leave(id);
      return path;
    },
    async remove(id) {
      await api.delete('/trash/{id}', { params: { path: { id } } });
      leave(id);
    },
    async empty() {
      await api.delete('/trash');
      await refresh();
    },
  };
}
