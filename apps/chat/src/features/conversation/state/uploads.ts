import type { Attachment, FileEntry } from '@berth/contract/agent';
import { fileUrl } from '../../../api/file-path.ts';
import { messageOf } from '../../../api/message-of.ts';
import { ConnectionLost, putFile } from '../../../api/put-file.ts';
import type { Session } from '../../../session/session.ts';
import { createStore, type Store } from '../../../store/store.ts';

/** A file that is attached to the message being written. */
export interface Upload {
  readonly id: string;
  readonly name: string;
  readonly sizeBytes: number;
  /** From 0 to 1. */
  readonly progress: number;
  /** Present once the upload is complete. */
  readonly attachment?: Attachment;
  /** The error message of a failed upload. */
  readonly problem?: string;
}

/** The attachments of the message being written. */
export interface Uploads {
  readonly state: Store<readonly Upload[]>;
  /** Starts to upload files. */
  add(files: readonly File[]): void;
  /** Attaches an existing file of the workspace. */
  attach(file: Pick<FileEntry, 'name' | 'path' | 'size'>): void;
  /** Retries a failed upload. */
  retry(id: string): void;
  /** Removes a file, canceling its upload. */
  remove(id: string): void;
  /** Waits for running uploads, removes the uploaded files from the list and returns them. */
  take(): Promise<readonly Attachment[]>;
}

/** Options of {@link createUploads}. */
export interface UploadsOptions {
  readonly session: Pick<Session, 'token' | 'renew'>;
  readonly teamId: string | undefined;
  /** Maximum size of a file, in MiB. */
  readonly maxMib: number;
  readonly createId: () => string;
  /** Returns the media type of a workspace file. @throws when the file no longer exists */
  readonly typeOf: (url: string) => Promise<string>;
  /** Returns the error message for a file that is too large. */
  readonly tooLarge: () => string;
  /** The tab's session storage, which keeps uploaded files that are not sent yet across a reload. */
  readonly storage: Pick<Storage, 'getItem' | 'setItem'>;
  /** Returns the error message for a broken connection. */
  readonly lost: () => string;
}

/** Uploads files to the workspace while the person writes the message. Source: docs/contract/agent-api.md §2, "attachments". */
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
