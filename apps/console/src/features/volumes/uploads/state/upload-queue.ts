import { BerthError } from '@berth/kit';
import { createStore } from '@berth/ui/store';
import { otherName } from './other-name.ts';
import type { SendFile } from './send-file.ts';
import type { CutOffUpload, UploadJournal } from './upload-journal.ts';

/** A file that waits to be uploaded. */
export interface WaitingFile {
  readonly volume: string;
  /** Target path in the volume. */
  readonly object: string;
  /** Opens the file. @throws the browser's error if the file is gone or unreadable */
  open(): Promise<File>;
}

/** A file that is being uploaded, with its progress. */
export interface ActiveUpload extends Pick<WaitingFile, 'volume' | 'object'> {
  readonly sizeBytes: number;
  readonly sentBytes: number;
  /** True while the connection is lost and being retried. */
  readonly isInterrupted: boolean;
}

/** A file or folder that could not be uploaded, with the error. */
export interface FailedUpload {
  /** Undefined if a folder could not be read. */
  readonly file: WaitingFile | undefined;
  readonly reason: string;
}

/** How to handle files that already exist in the volume. */
export type ConflictChoice = 'skip' | 'replace' | 'keep-both';

/** Snapshot of the upload queue; a new object at each change. */
export interface Uploads {
  /** Number of uploads started so far. A folder is still being read while its first files are uploaded. */
  readonly begunCount: number;
  readonly doneCount: number;
  readonly active: readonly ActiveUpload[];
  readonly failed: readonly FailedUpload[];
  /** Files that already exist in the volume; they wait for {@link UploadQueue.settle}. */
  readonly conflicts: readonly WaitingFile[];
  /** Uploads that a page reload interrupted. */
  readonly cutOff: readonly CutOffUpload[];
  readonly isDone: boolean;
}

/** Upload queue of this tab, with the interface of a React external store. Uploads continue during navigation. */
export interface UploadQueue {
  /** Undefined if there were no uploads, or they were cleared. */
  readonly state: Uploads | undefined;
  subscribe(listener: () => void): () => void;
  /**
   * Queues the files. `origin` is what the person dropped or chose. Existing objects are not replaced without asking.
   */
  add(files: AsyncIterable<WaitingFile>, origin: CutOffUpload): void;
  /** Retries the failed uploads. */
  retry(): void;
  /** Applies `choice` to all {@link Uploads.conflicts}. */
  settle(choice: ConflictChoice): void;
  /** Cancels the remaining uploads; files already uploaded stay. */
  cancel(): void;
  /** Removes uploads that have ended from the state. */
  clear(): void;
}

/** Concurrent uploads. Browsers open at most six connections to a server. */
const PARALLEL = 4;
/** Maximum number of failures kept for display and retry. After that many, the remaining files are not tried. */
export const MAX_FAILED = 200;
/** Maximum number of alternative names tried for a file whose name is taken. */
const OTHER_NAMES = 100;

const NOTHING: Uploads = {
  begunCount: 0,
  doneCount: 0,
  active: [],
  failed: [],
  conflicts: [],
  cutOff: [],
  isDone: true,
};

interface Source {
  readonly files: AsyncIterator<WaitingFile>;
  /** Absent: ask the person about each conflict. */
  readonly choice?: Exclude<ConflictChoice, 'skip'>;
}

/** Returns an empty queue that uploads with `sendFile` and records uploads in progress in `journal`. */
export function createUploadQueue(sendFile: SendFile, journal: UploadJournal): UploadQueue {
  const cutOff = journal.read();
  const store = createStore<Uploads | undefined>(cutOff.length > 0 ? { ...NOTHING, cutOff } : undefined);
  let ending = new AbortController();
  let sources: Source[] = [];
  let origins: CutOffUpload[] = [];
  let workers = 0;
  const change = (to: (now: Uploads) => Partial<Uploads>) => {
    const state = store.get();
    if (state) store.set({ ...state, ...to(state) });
  };
  const remember = (next: CutOffUpload[]) => {
    origins = next;
    journal.write([...(store.get()?.cutOff ?? []), ...origins]);
  };

  async function sendOne({ volume, object, open }: WaitingFile, isNew: boolean, signal: AbortSignal): Promise<void> {
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
        volume,
        object,
        file,
        isNew,
        signal,
        onSent: (sentBytes) => show({ sentBytes }),
        onInterrupted: (isInterrupted) => isInterrupted !== shown.isInterrupted && show({ isInterrupted }),
      });
    } finally {
      change(({ active }) => ({ active: active.filter((one) => one !== shown) }));
    }
  }

  /** Uploads under the first free alternative name. */
  async function sendBeside(file: WaitingFile, signal: AbortSignal): Promise<void> {
    for (let number = 2; ; number++) {
      try {
        return await sendOne({ ...file, object: otherName(file.object, number) }, true, signal);
      } catch (error) {
        if (!BerthError.is(error, 'precondition_failed') || number > OTHER_NAMES) throw error;
      }
    }
  }

  function fail(file: WaitingFile | undefined, error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    change(({ failed }) => ({ failed: [...failed, { file, reason }] }));
    if ((store.get()?.failed.length ?? 0) >= MAX_FAILED) sources = [];
  }

  /** Returns the next file of the first source that has one. */
  async function next(signal: AbortSignal): Promise<{ file: WaitingFile; choice?: Source['choice'] } | undefined> {
    for (let [source] = sources; source && !signal.aborted; [source] = sources) {
      const used = source;
      try {
        const { value, done } = await used.files.next();
        if (!done) return { file: value, choice: used.choice };
      } catch (error) {
        // The state may be that of later uploads by now.
        if (signal.aborted) return undefined;
        fail(undefined, error);
      }
      sources = sources.filter((one) => one !== used);
    }
    return undefined;
  }

  async function work(signal: AbortSignal): Promise<void> {
    for (let found = await next(signal); found && !signal.aborted; found = await next(signal)) {
      const { file, choice } = found;
      change(({ begunCount }) => ({ begunCount: begunCount + 1 }));
      try {
        if (choice === 'keep-both') await sendBeside(file, signal);
        else await sendOne(file, choice !== 'replace', signal);
        if (signal.aborted) return;
        change(({ doneCount }) => ({ doneCount: doneCount + 1 }));
      } catch (error) {
        if (signal.aborted) return;
        if (BerthError.is(error, 'precondition_failed') && choice === undefined) {
          change(({ conflicts }) => ({ conflicts: [...conflicts, file] }));
        } else fail(file, error);
      }
    }
    if (signal.aborted) return;
    workers--;
    if (workers === 0) finish();
  }

  function finish(): void {
    change(() => ({ isDone: true }));
    const { conflicts, failed } = store.get() ?? NOTHING;
    if (conflicts.length + failed.length === 0) remember([]);
  }

  function start(source: Source, before: Uploads): void {
    sources.push(source);
    store.set({ ...before, isDone: false });
    for (; workers < PARALLEL; workers++) void work(ending.signal);
  }

  return {
    get state() {
      return store.get();
    },
    subscribe: store.subscribe,
    add(files, origin) {
      // The person is dropping the interrupted files again, so the notice for this volume goes.
      change(({ cutOff: before }) => ({ cutOff: before.filter(({ volume }) => volume !== origin.volume) }));
      const state = store.get();
      start({ files: files[Symbol.asyncIterator]() }, state && (!state.isDone || hasRest(state)) ? state : NOTHING);
      remember([...origins, origin]);
    },
    retry() {
      const state = store.get();
      if (!state) return;
      const files = state.failed.flatMap(({ file }) => file ?? []);
      const begunCount = state.begunCount - files.length;
      start({ files: iterate(files) }, { ...state, failed: [], begunCount });
    },
    settle(choice) {
      const state = store.get();
      if (!state) return;
      const { conflicts, begunCount } = state;
      const settled = { ...state, conflicts: [], begunCount: begunCount - conflicts.length };
      if (choice !== 'skip') return start({ files: iterate(conflicts), choice }, settled);
      const isNothing = settled.isDone && settled.doneCount === 0 && !hasRest(settled);
      store.set(isNothing ? undefined : settled);
      if (settled.isDone) finish();
    },
    cancel() {
      ending.abort(new DOMException('cancelled', 'AbortError'));
      ending = new AbortController();
      sources = [];
      workers = 0;
      store.set(undefined);
      remember([]);
    },
    clear() {
      if (!store.get()?.isDone) return;
      store.set(undefined);
      remember([]);
    },
  };
}

/** Returns whether uploads that have ended still need the person's attention. */
function hasRest({ conflicts, failed, cutOff }: Uploads): boolean {
  return conflicts.length + failed.length + cutOff.length > 0;
}

async function* iterate(files: readonly WaitingFile[]): AsyncGenerator<WaitingFile> {
  yield* files;
}
