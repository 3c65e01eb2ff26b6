import type { Attachment, FileEntry } from '@berth/contract/agent';
import { fileUrl } from '../../../api/file-path.ts';
import { messageOf } from '../../../api/message-of.ts';
import { ConnectionLost, putFile } from '../../../api/put-file.ts';
import type { Session } from '../../../session/session.ts';
import { createStore, type Store } from '../../../store/store.ts';

/** A file on its way to a message. */
export interface Upload {
  readonly id: string;
  readonly name: string;
  readonly sizeBytes: number;
  /** From 0 to 1. */
  readonly progress: number;
  readonly attachment?: Attachment;
  readonly problem?: string;
}

export interface Uploads {
  readonly state: Store<readonly Upload[]>;
  add(files: readonly File[]): void;
  /** Attaches a file that the workspace has. */
  attach(file: Pick<FileEntry, 'name' | 'path' | 'size'>): void;
  /** Tries again what did not get there. */
  retry(id: string): void;
  remove(id: string): void;
  /** The files that are there, once none is on its way; they are taken from the list. */
  take(): Promise<readonly Attachment[]>;
}

export interface UploadsOptions {
  readonly session: Pick<Session, 'token' | 'renew'>;
  readonly teamId: string | undefined;
  /** MiB. */
  readonly maxMib: number;
  readonly createId: () => string;
  /** The media type of a file that the workspace has. @throws when it has none such any more */
  readonly typeOf: (url: string) => Promise<string>;
  /** What is said of a file that is too large. */
  readonly tooLarge: () => string;
  /** The tab's: files that are there and not sent yet outlive a reload. */
  readonly storage: Pick<Storage, 'getItem' | 'setItem'>;
  /** What is said of a connection that broke. */
  readonly lost: () => string;
}

/** Puts files into the workspace while the message is still being written. Source: docs/contract/agent-api.md §2, "attachments". */
export function createUploads(options: UploadsOptions): Uploads {
  const { session, teamId, maxMib, createId, typeOf, tooLarge, lost, storage } = options;
  const key = `berth-attached:${teamId ?? ''}`;
  const state = createStore<readonly Upload[]>(JSON.parse(storage.getItem(key) ?? '[]') as Upload[]);
  state.subscribe(() => {
    storage.setItem(key, JSON.stringify(state.get().filter(({ attachment }) => attachment !== undefined)));
  });
  const running = new Map<string, { readonly done: Promise<void>; readonly leave: AbortController; again(): void }>();
  const change = (id: string, fields: Partial<Upload>) =>
    state.set(state.get().map((one) => (one.id === id ? { ...one, ...fields } : one)));

  const send = async (id: string, file: File, signal: AbortSignal) => {
    if (file.size > maxMib * 1024 * 1024) return change(id, { problem: tooLarge() });
    const path = `attachments/${id.replaceAll('-', '').slice(0, 8)}-${file.name.replaceAll(/[/\\]/g, '_')}`;
    const url = fileUrl(path);
    const type = file.type || 'application/octet-stream';
    const onProgress = (progress: number) => change(id, { progress });
    try {
      await putFile({ session, teamId, url, file, signal, onProgress });
      change(id, { progress: 1, attachment: { name: file.name, size: file.size, type, url, path } });
    } catch (error) {
      const problem = error instanceof ConnectionLost ? lost() : messageOf(error);
      if (!signal.aborted) change(id, { problem });
    }
  };

  const look = async (id: string, { name, path, size }: Pick<FileEntry, 'name' | 'path' | 'size'>) => {
    try {
      const url = fileUrl(path);
      const type = await typeOf(url);
      change(id, { progress: 1, attachment: { name, size, type, url, path } });
    } catch (error) {
      change(id, { problem: messageOf(error) });
    }
  };
  const run = (id: string, work: (signal: AbortSignal) => Promise<void>) => {
    const leave = new AbortController();
    running.set(id, { leave, done: work(leave.signal), again: () => run(id, work) });
  };
  const begin = (file: { readonly name: string; readonly size: number }): string => {
    const id = createId();
    state.set([...state.get(), { id, name: file.name, sizeBytes: file.size, progress: 0 }]);
    return id;
  };

  return {
    state,
    add(files) {
      for (const file of files) {
        const id = begin(file);
        run(id, (signal) => send(id, file, signal));
      }
    },
    attach(file) {
      if (state.get().some(({ attachment }) => attachment?.path === file.path)) return;
      const id = begin(file);
      run(id, () => look(id, file));
    },
    retry(id) {
      const failed = state.get().find((one) => one.id === id && one.problem !== undefined);
      if (!failed) return;
      state.set(
        state.get().map((one) => (one.id === id ? { id, name: one.name, sizeBytes: one.sizeBytes, progress: 0 } : one)),
      );
      running.get(id)?.again();
    },
    remove(id) {
      running.get(id)?.leave.abort();
      running.delete(id);
      state.set(state.get().filter((one) => one.id !== id));
    },
    async take() {
      await Promise.all([...running.values()].map(({ done }) => done));
      const ready = state.get().filter(({ attachment }) => attachment !== undefined);
      state.set(state.get().filter(({ attachment }) => attachment === undefined));
      for (const { id } of ready) running.delete(id);
      return ready.flatMap(({ attachment }) => attachment ?? []);
    },
  };
}
