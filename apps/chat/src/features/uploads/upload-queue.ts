import type { Attachment } from '@berth/contract/agent';
import { createStore, type Store } from '@berth/ui/store';

/** A file on its way to the workspace, or one that has become an attachment of the message being written. */
export interface Upload {
  readonly id: string;
  /** Name of the file, or its path. */
  readonly name: string;
  readonly sizeBytes: number;
  /** From 0 to 1. */
  readonly progress: number;
  /** Why the upload failed. */
  readonly error?: unknown;
  /** Present once the file can be sent with a message. */
  readonly attachment?: Attachment;
}

/** A file to upload. */
export interface UploadJob {
  readonly name: string;
  readonly sizeBytes: number;
  /** Uploads the file. Without an attachment, the upload leaves the list. @throws when the upload fails or `signal` aborts */
  run(upload: UploadRun): Promise<Attachment | undefined>;
}

/** The dependencies of a job. */
export interface UploadRun {
  readonly id: string;
  readonly signal: AbortSignal;
  /** Reports the progress from 0 to 1. */
  onProgress(progress: number): void;
}

export interface UploadQueueOptions {
  /** Maximum number of concurrent uploads. */
  readonly atOnce: number;
  readonly createId: () => string;
  /** Completed uploads that the list begins with. */
  readonly initial?: readonly Upload[];
  /** Called when the last upload has ended. */
  onIdle?(): void;
}

/** Creates a queue that runs its jobs in the order they were added. */
export function createUploadQueue({ atOnce, createId, initial = [], onIdle }: UploadQueueOptions) {
  const state = createStore<readonly Upload[]>(initial);
  const jobs = new Map<string, { readonly job: UploadJob; readonly leave: AbortController }>();
  const waiting: string[] = [];
  const running = new Set<Promise<void>>();
  const change = (id: string, fields: Partial<Upload>) =>
    state.set(state.get().map((one) => (one.id === id ? { ...one, ...fields } : one)));
  const forget = (id: string) => {
    jobs.delete(id);
    state.set(state.get().filter((one) => one.id !== id));
  };
  const send = async (id: string) => {
    const work = jobs.get(id);
    if (!work) return;
    const { signal } = work.leave;
    try {
      const attachment = await work.job.run({ id, signal, onProgress: (progress) => change(id, { progress }) });
      if (attachment) change(id, { progress: 1, attachment });
      else forget(id);
    } catch (error) {
      if (!signal.aborted) change(id, { error });
    }
  };
  const next = () => {
    while (running.size < atOnce) {
      const id = waiting.shift();
      if (id === undefined) return;
      const work = send(id);
      running.add(work);
      void work.then(() => {
        running.delete(work);
        if (running.size === 0 && waiting.length === 0) onIdle?.();
        next();
      });
    }
  };
  return {
    /** The pending and failed uploads, and the completed ones that have an attachment. */
    state: state as Store<readonly Upload[]>,
    /** Adds jobs to the end of the queue. */
    add(added: readonly UploadJob[]) {
      const uploads = added.map((job): Upload => {
        const id = createId();
        jobs.set(id, { job, leave: new AbortController() });
        waiting.push(id);
        return { id, name: job.name, sizeBytes: job.sizeBytes, progress: 0 };
      });
      state.set([...state.get(), ...uploads]);
      next();
    },
    /** Retries a failed upload. */
    retry(id: string) {
      if (state.get().find((one) => one.id === id)?.error === undefined) return;
      change(id, { progress: 0, error: undefined });
      waiting.push(id);
      next();
    },
    /** Removes an upload from the list, canceling it if it is running. */
    remove(id: string) {
      jobs.get(id)?.leave.abort();
      forget(id);
    },
    /** Waits until the uploads that are running now have ended. */
    async settled() {
      await Promise.all(running);
    },
  };
}
