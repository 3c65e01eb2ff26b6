import type { Attachment } from '@berth/contract/agent';
import { fileUrl } from './files/file-path.ts';
import { putFile } from './put-file.ts';
import type { Session } from './sign-in/session.ts';
import { createStore, type Store } from './store.ts';

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
  /** What is said of a file that is too large. */
  readonly tooLarge: () => string;
}

/** Puts files into the workspace while the message is still being written. Source: spec agent-api 2, "attachments". */
export function createUploads({ session, teamId, maxMib, createId, tooLarge }: UploadsOptions): Uploads {
  const state = createStore<readonly Upload[]>([]);
  const running = new Map<string, { readonly done: Promise<void>; readonly leave: AbortController }>();
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
      if (!signal.aborted) change(id, { problem: String((error as Error).message) });
    }
  };

  return {
    state,
    add(files) {
      for (const file of files) {
        const id = createId();
        const leave = new AbortController();
        state.set([...state.get(), { id, name: file.name, sizeBytes: file.size, progress: 0 }]);
        running.set(id, { leave, done: send(id, file, leave.signal) });
      }
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
