import type { FileEntry } from '@berth/contract/agent';
import { createStore, type Store } from '@berth/ui/store';
import type { Api } from '../../api/api.ts';
import { joinPath, nameOfPath } from '../../api/file-path.ts';
import { messageOf } from '../../api/message-of.ts';

/** The sort order of files; by date and by size, the newest or largest come first. */
export type FileOrder = 'name' | 'modified' | 'size';

/** The state of a file browser. */
export interface FileBrowserState {
  /** The open folder; '' is the root of the workspace. */
  readonly folder: string;
  readonly search: string;
  readonly order: FileOrder;
  readonly entries: readonly FileEntry[];
  /** The file in the preview; undefined while the folder is shown. */
  readonly shown: FileEntry | undefined;
  readonly phase: 'loading' | 'idle' | 'failed';
  readonly problem: string | undefined;
}

const START: FileBrowserState = {
  ...{ folder: '', search: '', order: 'name', entries: [], shown: undefined, phase: 'loading', problem: undefined },
};

/**
 * Creates a browser of the workspace's files, one folder at a time; `refresh` reads its files. Changes throw {@link ApiError}
 * and always refresh the list.
 */
export function createFileBrowser(api: Api) {
  const state = createStore<FileBrowserState>(START);
  /** Number of the latest read: responses may arrive in any order. */
  let reading = 0;

  const refresh = async () => {
    const mine = ++reading;
    const { folder, search, order } = state.get();
    const query = {
      ...(search === '' ? { path: folder } : { search }),
      sort: order,
      ...(order !== 'name' && { desc: '1' as const }),
    };
    try {
      const listed = await api.get('/files', { params: { query } });
      const entries = listed.map((entry) => ({ ...entry, name: nameOfPath(entry.path) }));
      if (mine === reading) state.patch({ entries, phase: 'idle', problem: undefined });
    } catch (error) {
      if (mine === reading) state.patch({ phase: 'failed', problem: messageOf(error) });
    }
  };
  const read = (fields: Partial<FileBrowserState>) => {
    state.patch({ ...fields, phase: 'loading' });
    return refresh();
  };
  const open = (folder: string) => read({ folder, search: '', entries: [], shown: undefined });
  const change = async <Answer>(work: Promise<Answer>): Promise<Answer> => {
    try {
      return await work;
    } finally {
      await refresh();
    }
  };

  return {
    state: state as Store<FileBrowserState>,
    /** Reads the list again; the current entries stay visible meanwhile. */
    refresh,
    open,
    /** Opens a folder, or shows the preview of a file; undefined goes back to the folder. */
    async show(entry: FileEntry | undefined) {
      if (entry?.type === 'directory') await open(entry.path);
      else state.patch({ shown: entry });
    },
    /** Lists the files of all folders whose names contain `text`; '' lists the open folder. */
    search: (text: string) => read({ search: text.trim() }),
    sort: (order: FileOrder) => read({ order }),
    async makeFolder(name: string) {
      await change(api.post('/files/{path}', { params: { path: { path: joinPath(state.get().folder, name) } } }));
    },
    /** Moves or renames a file or folder. */
    async move(path: string, to: string) {
      await change(api.patch('/files/{path}', { params: { path: { path } }, body: { to } }));
      state.patch({ shown: undefined });
    },
    /** Moves a file or folder to the trash. Returns a function that restores it. */
    async remove(path: string) {
      const { trash_id } = await change(api.delete('/files/{path}', { params: { path: { path } } }));
      state.patch({ shown: undefined });
      return async () => {
        await change(api.post('/trash/{id}/restore', { params: { path: { id: trash_id } } }));
      };
    },
  };
}
