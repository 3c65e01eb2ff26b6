import type { ChatSummary, FileEntry } from '@berth/contract/agent';
import { createStore, type Store } from '@berth/ui/store';
import type { Api } from '../../api/api.ts';
import type { Schedule } from '../../store/schedule.ts';

/** The results of a search. */
export interface Findings {
  readonly chats: readonly ChatSummary[];
  readonly files: readonly FileEntry[];
}

const NOTHING: Findings = { chats: [], files: [] };
const PAUSE_MS = 200;
const MAX_CHATS = 8;

/** Creates a search for chats and files on the server. A failed request counts as no results, since the rest of the palette still works. */
export function createLookUp(api: Pick<Api, 'get'>, schedule: Schedule) {
  const state = createStore(NOTHING);
  let cancel = () => {};
  /** Number of the latest search: responses may arrive in any order. */
  let last = 0;
  return {
    state: state as Store<Findings>,
    /** Searches chats by their text and files by their names, once typing pauses. */
    search(text: string) {
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
