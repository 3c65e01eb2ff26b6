import type { SendFile } from './send-file.ts';

/** A file that waits to be sent. */
export interface WaitingFile {
  readonly volume: string;
  /** Its place in the volume. */
  readonly object: string;
  /** @throws what the browser says when the file is gone or can't be read. */
  open(): Promise<File>;
}

export interface ActiveUpload extends Pick<WaitingFile, 'volume' | 'object'> {
  readonly sizeBytes: number;
  readonly sentBytes: number;
  /** The connection is lost, and is tried again. */
  readonly isInterrupted: boolean;
}

export interface FailedUpload {
  /** Absent where a folder could not be read. */
  readonly file: WaitingFile | undefined;
  readonly reason: string;
}

/** How uploads stand; a new object at each change. */
export interface Uploads {
  /** Files that were begun: a folder is read while its first files go. */
  readonly begunCount: number;
  readonly doneCount: number;
  readonly active: readonly ActiveUpload[];
  readonly failed: readonly FailedUpload[];
  readonly isDone: boolean;
}

/** Uploads of this tab, in the form that React's external stores have. They go on while one looks at other pages. */
export interface UploadQueue {
  /** Undefined when there were none, or they are no longer shown. */
  readonly state: Uploads | undefined;
  subscribe(listener: () => void): () => void;
  add(files: AsyncIterable<WaitingFile>): void;
  /** Sends again what failed. */
  retry(): void;
  /** Ends what is being sent; what is there stays. */
  cancel(): void;
  /** Forgets uploads that have ended. */
  clear(): void;
}

/** Files at a time: browsers hold six connections to a server. */
const PARALLEL = 4;
/** Failures that are kept, to be shown and sent again; after as many, something else is wrong, and the rest is not tried. */
export const MAX_FAILED = 200;

const NOTHING: Uploads = { begunCount: 0, doneCount: 0, active: [], failed: [], isDone: true };

export function createUploadQueue(sendFile: SendFile): UploadQueue {
  let state: Uploads | undefined;
  let ending = new AbortController();
  let sources: AsyncIterator<WaitingFile>[] = [];
  let workers = 0;
  const listeners = new Set<() => void>();
  const become = (next: Uploads | undefined) => {
    state = next;
    for (const listener of listeners) listener();
  };
  const change = (to: (now: Uploads) => Partial<Uploads>) => {
    if (state) become({ ...state, ...to(state) });
  };

  async function sendOne({ volume, object, open }: WaitingFile, signal: AbortSignal): Promise<void> {
    const file = await open();
    let shown: ActiveUpload = { volume, object, sizeBytes: file.size, sentBytes: 0, isInterrupted: false };
    const show = (part: Partial<ActiveUpload>) => {
      const before = shown;
      shown = { ...shown, ...part };
      change(({ active }) => ({ active: [...active.filter((one) => one !== before), shown] }));
    };
    show({});
    try {
      await sendFile({
        ...{ volume, object, file, signal },
        onSent: (sentBytes) => show({ sentBytes }),
        onInterrupted: (isInterrupted) => isInterrupted !== shown.isInterrupted && show({ isInterrupted }),
      });
    } finally {
      change(({ active }) => ({ active: active.filter((one) => one !== shown) }));
    }
  }

  function fail(file: WaitingFile | undefined, error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    change(({ failed }) => ({ failed: [...failed, { file, reason }] }));
    if ((state?.failed.length ?? 0) >= MAX_FAILED) sources = [];
  }

  /** The next file of the first source that has one. */
  async function next(signal: AbortSignal): Promise<WaitingFile | undefined> {
    for (let [source] = sources; source && !signal.aborted; [source] = sources) {
      const used = source;
      try {
        const { value, done } = await used.next();
        if (!done) return value;
      } catch (error) {
        fail(undefined, error);
      }
      sources = sources.filter((one) => one !== used);
    }
    return undefined;
  }

  async function work(signal: AbortSignal): Promise<void> {
    for (let file = await next(signal); file && !signal.aborted; file = await next(signal)) {
      change(({ begunCount }) => ({ begunCount: begunCount + 1 }));
      try {
        await sendOne(file, signal);
        change(({ doneCount }) => ({ doneCount: doneCount + 1 }));
      } catch (error) {
        if (signal.aborted) return;
        fail(file, error);
      }
    }
    if (signal.aborted) return;
    workers--;
    if (workers === 0) change(() => ({ isDone: true }));
  }

  function add(files: AsyncIterable<WaitingFile>): void {
    sources.push(files[Symbol.asyncIterator]());
    become({ ...(state && !state.isDone ? state : NOTHING), isDone: false });
    for (; workers < PARALLEL; workers++) void work(ending.signal);
  }

  return {
    get state() {
      return state;
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    add,
    retry() {
      const files = state?.failed.flatMap(({ file }) => file ?? []) ?? [];
      change(() => ({ failed: [] }));
      add(
        (async function* () {
          yield* files;
        })(),
      );
    },
    cancel() {
      ending.abort(new DOMException('cancelled', 'AbortError'));
      ending = new AbortController();
      sources = [];
      workers = 0;
      become(undefined);
    },
    clear() {
      if (state?.isDone) become(undefined);
    },
  };
}
