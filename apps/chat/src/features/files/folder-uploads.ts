import { messageOf } from '../../api/message-of.ts';
import { createStore, type Store } from '../../store/store.ts';

/** A file on its way into a folder. */
export interface FolderUpload {
  readonly id: number;
  readonly path: string;
  /** From 0 to 1. */
  readonly progress: number;
  readonly problem: string | undefined;
  /** False of what would fail again. */
  readonly mayRetry: boolean;
}

/** A file and where it belongs, below the folder it was dropped on. */
export interface NamedFile {
  readonly path: string;
  readonly file: Blob;
}

export interface FolderUploads {
  /** What is on its way or did not get there; what is there is taken from the list. */
  readonly state: Store<readonly FolderUpload[]>;
  add(files: readonly NamedFile[]): void;
  /** Sends again what did not get there. */
  retry(id: number): void;
  /** Calls it off. */
  remove(id: number): void;
}

export interface FolderUploadsOptions {
  /** @throws when the file is not taken */
  readonly put: (
    path: string,
    file: Blob,
    signal: AbortSignal,
    onProgress: (progress: number) => void,
  ) => Promise<void>;
  readonly maxBytes: number;
  /** What is said of a file that is too large. */
  readonly tooLarge: () => string;
  /** Called when files are there, at the latest when none is on its way any more. */
  readonly onStored: () => void;
}

/** Requests at a time: more share one line and are none the faster. */
const AT_ONCE = 3;

/** Puts files up a few at a time, in the order they were given. */
export function createFolderUploads({ put, maxBytes, tooLarge, onStored }: FolderUploadsOptions): FolderUploads {
  const state = createStore<readonly FolderUpload[]>([]);
  const files = new Map<number, { readonly path: string; readonly file: Blob; leave: AbortController }>();
  const waiting: number[] = [];
  let running = 0;
  let lastId = 0;
  const change = (id: number, fields: Partial<FolderUpload>) =>
    state.set(state.get().map((one) => (one.id === id ? { ...one, ...fields } : one)));
  const forget = (id: number) => {
    files.delete(id);
    state.set(state.get().filter((one) => one.id !== id));
  };

  const send = async (id: number) => {
    const work = files.get(id);
    if (!work) return;
    const { path, file, leave } = work;
    if (file.size > maxBytes) return change(id, { problem: tooLarge(), mayRetry: false });
    try {
      await put(path, file, leave.signal, (progress) => change(id, { progress }));
      forget(id);
    } catch (error) {
      if (!leave.signal.aborted) change(id, { problem: messageOf(error) });
    }
  };
  const next = () => {
    while (running < AT_ONCE) {
      const id = waiting.shift();
      if (id === undefined) return;
      running += 1;
      void send(id).then(() => {
        running -= 1;
        if (running === 0 && waiting.length === 0) onStored();
        next();
      });
    }
  };

  return {
    state,
    add(given) {
      const added = given.map(({ path, file }) => {
        lastId += 1;
        files.set(lastId, { path, file, leave: new AbortController() });
        waiting.push(lastId);
        return { id: lastId, path, progress: 0, problem: undefined, mayRetry: true };
      });
      state.set([...state.get(), ...added]);
      next();
    },
    retry(id) {
      const work = files.get(id);
      if (!work || state.get().find((one) => one.id === id)?.problem === undefined) return;
      work.leave = new AbortController();
      change(id, { progress: 0, problem: undefined });
      waiting.push(id);
      next();
    },
    remove(id) {
      files.get(id)?.leave.abort();
      forget(id);
    },
  };
}
