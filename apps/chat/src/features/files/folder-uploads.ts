import { messageOf } from '../../api/message-of.ts';
import { createStore, type Store } from '../../store/store.ts';

/** An upload of a file to a folder. */
export interface FolderUpload {
  readonly id: number;
  readonly path: string;
  /** From 0 to 1. */
  readonly progress: number;
  readonly problem: string | undefined;
  /** False when a retry would fail again. */
  readonly mayRetry: boolean;
}

/** A file and the path to upload it to. */
export interface NamedFile {
  readonly path: string;
  readonly file: Blob;
}

/** A queue of uploads to folders. */
export interface FolderUploads {
  /** The pending and failed uploads; completed ones are removed. */
  readonly state: Store<readonly FolderUpload[]>;
  /** Adds files to the end of the queue. */
  add(files: readonly NamedFile[]): void;
  /** Retries a failed upload. */
  retry(id: number): void;
  /** Cancels an upload and removes it from the list. */
  remove(id: number): void;
}

/** Options of {@link createFolderUploads}. */
export interface FolderUploadsOptions {
  /** Uploads a file and reports its progress from 0 to 1. @throws when the upload fails or `signal` aborts */
  readonly put: (
    path: string,
    file: Blob,
    signal: AbortSignal,
    onProgress: (progress: number) => void,
  ) => Promise<void>;
  readonly maxBytes: number;
  /** Returns the error message for a file that is too large. */
  readonly tooLarge: () => string;
  /** Called when the queue has become empty. */
  readonly onStored: () => void;
}

/** Number of concurrent uploads; more would share the same bandwidth and not be faster. */
const AT_ONCE = 3;

/** Creates an empty queue that uploads a few files at a time, in the order they were added. */
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
