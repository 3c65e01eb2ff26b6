import type { TrashItem } from '@berth/contract/agent';
import { createStore, type Store } from '@berth/ui/store';
import type { Api } from '../../api/api.ts';
import { messageOf } from '../../api/message-of.ts';

/** The state of the trash. */
export interface TrashState {
  /** Undefined until the items are read. */
  readonly items: readonly TrashItem[] | undefined;
  readonly problem: string | undefined;
}

/** Creates the trash: the chats and files deleted in the last 30 days. `refresh` reads it; changes throw {@link ApiError}. */
export function createTrash(api: Api) {
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
    state: state as Store<TrashState>,
    refresh,
    /** Restores an item and returns its path, which differs from the old path if that is taken. */
    async restore(id: string): Promise<string> {
      const { path } = await api.post('/trash/{id}/restore', { params: { path: { id } } });
      leave(id);
      return path;
    },
    /** Permanently deletes an item. */
    async remove(id: string) {
      await api.delete('/trash/{id}', { params: { path: { id } } });
      leave(id);
    },
    /** Permanently deletes all items. */
    async empty() {
      await api.delete('/trash');
      await refresh();
    },
  };
}
