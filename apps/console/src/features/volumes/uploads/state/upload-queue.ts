import { BerthError } from '@berth/kit';
import { otherName } from './other-name.ts';
import type { SendFile } from './send-file.ts';
import type { CutOffUpload, UploadJournal } from './upload-journal.ts';

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

/** What becomes of files where something is already. */
export type ConflictChoice = 'skip' | 'replace' | 'keep-both';

/** How uploads stand; a new object at each change. */
export interface Uploads {
  /** Files that were begun: a folder is read while its first files go. */
  readonly begunCount: number;
  readonly doneCount: number;
  readonly active: readonly ActiveUpload[];
  readonly failed: readonly FailedUpload[];
  /** Something is there already: they wait for {@link UploadQueue.settle}. */
  readonly conflicts: readonly WaitingFile[];
  /** What a reload of the page cut off. */
  readonly cutOff: readonly CutOffUpload[];
  readonly isDone: boolean;
}

/** Uploads of this tab, in the form that React's external stores have. They go on while one looks at other pages. */
export interface UploadQueue {
  /** Undefined when there were none, or they are no longer shown. */
  readonly state: Uploads | undefined;
  subscribe(listener: () => void): () => void;
  /** `origin` is what the person dropped or chose. Nothing is replaced without being asked. */
  add(files: AsyncIterable<WaitingFile>, origin: CutOffUpload): void;
  /** Sends again what failed. */
  retry(): void;
  /** Decides about all {@link Uploads.conflicts}. */
  settle(choice: ConflictChoice): void;
  /** Ends what is being sent; what is there stays. */
  cancel(): void;
  /** Forgets uploads that have ended. */
  clear(): void;
}

/** Files at a time: browsers hold six connections to a server. */
const PARALLEL = 4;
/** Failures that are kept, to be shown and sent again; after as many, something else is wrong, and the rest is not tried. */
export const MAX_FAILED = 200;
/** Names that are tried beside one that is taken. */
const OTHER_NAMES = 100;

const NOTHING: Uploads = {
  ...{ begunCount: 0, doneCount: 0, active: [], failed: [], conflicts: [], cutOff: [] },
  isDone: true,
};

interface Source {
  readonly files: AsyncIterator<WaitingFile>;
  /** Absent: for each file the person is asked. */
  readonly choice?: Exclude<ConflictChoice, 'skip'>;
}

export function createUploadQueue(sendFile: SendFile, journal: UploadJournal): UploadQueue {
  const cutOff = journal.read();
  let state: Uploads | undefined = cutOff.length > 0 ? { ...NOTHING, cutOff } : undefined;
  let ending = new AbortController();
  let sources: Source[] = [];
  let origins: CutOffUpload[] = [];
  let workers = 0;
  const listeners = new Set<() => void>();
  const become = (next: Uploads | undefined) => {
    state = next;
    for (const listener of listeners) listener();
  };
  const change = (to: (now: Uploads) => Partial<Uploads>) => {
    if (state) become({ ...state, ...to(state) });
  };
  const remember = (next: CutOffUpload[]) => {
    origins = next;
    journal.write([...(state?.cutOff ?? []), ...origins]);
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
        ...{ volume, object, file, isNew, signal },
        onSent: (sentBytes) => show({ sentBytes }),
        onInterrupted: (isInterrupted) => isInterrupted !== shown.isInterrupted && show({ isInterrupted }),
      });
    } finally {
      change(({ active }) => ({ active: active.filter((one) => one !== shown) }));
    }
  }

  /** Under the first name beside its own that is free. */
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
    if ((state?.failed.length ?? 0) >= MAX_FAILED) sources = [];
  }

  /** The next file of the first source that has one. */
  async function next(signal: AbortSignal): Promise<{ file: WaitingFile; choice?: Source['choice'] } | undefined> {
    for (let [source] = sources; source && !signal.aborted; [source] = sources) {
      const used = source;
      try {
        const { value, done } = await used.files.next();
        if (!done) return { file: value, choice: used.choice };
      } catch (error) {
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
    if (!state || state.conflicts.length + state.failed.length === 0) remember([]);
  }

  function start(source: Source, before: Uploads): void {
    sources.push(source);
    become({ ...before, isDone: false });
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
    add(files, origin) {
      // What was cut off is dropped again.
      change(({ cutOff: before }) => ({ cutOff: before.filter(({ volume }) => volume !== origin.volume) }));
      const goesOn = state && (!state.isDone || hasRest(state));
      start({ files: files[Symbol.asyncIterator]() }, goesOn ? (state ?? NOTHING) : NOTHING);
      remember([...origins, origin]);
    },
    retry() {
      if (!state) return;
      const files = state.failed.flatMap(({ file }) => file ?? []);
      const begunCount = state.begunCount - files.length;
      start({ files: iterate(files) }, { ...state, failed: [], begunCount });
    },
    settle(choice) {
      if (!state) return;
      const { conflicts, begunCount } = state;
      const settled = { ...state, conflicts: [], begunCount: begunCount - conflicts.length };
      if (choice !== 'skip') return start({ files: iterate(conflicts), choice }, settled);
      const isNothing = settled.isDone && settled.doneCount === 0 && !hasRest(settled);
      become(isNothing ? undefined : settled);
      if (settled.isDone) finish();
    },
    cancel() {
      ending.abort(new DOMException('cancelled', 'AbortError'));
      ending = new AbortController();
      sources = [];
      workers = 0;
      become(undefined);
      remember([]);
    },
    clear() {
      if (!state?.isDone) return;
      become(undefined);
      remember([]);
    },
  };
}

/** Whether something of uploads that have ended waits for the person. */
function hasRest({ conflicts, failed, cutOff }: Uploads): boolean {
  return conflicts.length + failed.length + cutOff.length > 0;
}

async function* iterate(files: readonly WaitingFile[]): AsyncGenerator<WaitingFile> {
  yield* files;
}
