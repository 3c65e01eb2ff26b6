import type { ChatSummary, FileEntry } from '@berth/contract/agent';
import type { Api } from '../../api/api.ts';
import { createStore, type Store } from '../../store/store.ts';
import type { Schedule } from '../conversation/state/paced.ts';

/** The results of a search. */
export interface Findings {
  readonly chats: readonly ChatSummary[];
  readonly files: readonly FileEntry[];
}

/** A search for chats and files. */
export interface LookUp {
  readonly state: Store<Findings>;
  /** Searches chats by their text and files by their names, once typing pauses. */
  search(text: string): void;
}

const NOTHING: Findings = { chats: [], files: [] };
const PAUSE_MS = 200;
const MAX_CHATS = 8;

/** Searches on the server. A failed request counts as no results, since the rest of the palette still works. */
export function createLookUp(api: Pick<Api, 'get'>, schedule: Schedule): LookUp {
  const state = createStore(NOTHING);
  let cancel = () => {};
  /** Number of the latest search: responses may arrive in any order. */
  let last = 0;
  return {
    state,
    search(text) {
      cancel();
      const mine = ++last;
      const words = text.trim();
      if (words === '') return state.set(NOTHING);
      cancel = schedule(() => {
        void Promise.all([
          api.get('/chats', { params: { query: { limit: MAX_CHATS, q: words } } }).catch(() => []),
          api.get('/files', { params: { query: { search: words } } }).catch(() => []),
        ]).then(([chats, files]) => mine === last && state.set({ chats, files }));
      }, PAUSE_MS);
    },
  };
}
