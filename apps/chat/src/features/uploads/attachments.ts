import type { Attachment, FileEntry } from '@berth/contract/agent';
import { attachmentPath, fileUrl } from '../../api/file-path.ts';
import type { PutFile } from '../../api/put-file.ts';
import { createUploadQueue, type Upload } from './upload-queue.ts';

/** Options of {@link createAttachments}. */
export interface AttachmentsOptions {
  readonly put: PutFile;
  readonly createId: () => string;
  /** Returns the media type of a workspace file. @throws when the file no longer exists */
  readonly typeOf: (url: string) => Promise<string>;
  /** The tab's session storage, which keeps uploaded files that are not sent yet across a reload. */
  readonly storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;
  readonly storageKey: string;
}

/** The attachments of the message being written. */
export type Attachments = ReturnType<typeof createAttachments>;

/** Uploads files to the workspace while the person writes the message. Source: docs/contract/agent-api.md §2, "attachments". */
export function createAttachments({ put, createId, typeOf, storage, storageKey }: AttachmentsOptions) {
  const queue = createUploadQueue({
    atOnce: Number.POSITIVE_INFINITY,
    createId,
    initial: readKept(storage, storageKey),
  });
  const { state } = queue;
  const ready = () => state.get().filter(({ attachment }) => attachment !== undefined);
  state.subscribe(() => {
    storage.removeItem(storageKey);
    try {
      storage.setItem(storageKey, JSON.stringify(ready()));
    } catch {
      // The storage is full: the files stay on the page until it closes.
    }
  });
  return {
    ...{ state, retry: queue.retry, remove: queue.remove, settled: queue.settled },
    /** Starts to upload files. */
    add: (files: readonly File[]) =>
      queue.add(
        files.map((file) => ({
          name: file.name,
          sizeBytes: file.size,
          async run({ id, ...upload }) {
            const path = attachmentPath(id, file.name);
            const url = fileUrl(path);
            await put({ url, file, ...upload });
            return { name: file.name, size: file.size, type: file.type || 'application/octet-stream', url, path };
          },
        })),
      ),
    /** Attaches an existing file of the workspace. */
    attach({ name, path, size }: Pick<FileEntry, 'name' | 'path' | 'size'>) {
      if (state.get().some(({ attachment }) => attachment?.path === path)) return;
      const run = async () => {
        const url = fileUrl(path);
        return { name, size, type: await typeOf(url), url, path };
      };
      queue.add([{ name, sizeBytes: size, run }]);
    },
    /** Removes the uploaded files from the list and returns them. */
    take(): readonly Attachment[] {
      const taken = ready();
      for (const { id } of taken) queue.remove(id);
      return taken.flatMap(({ attachment }) => attachment ?? []);
    },
  };
}

/** Returns the files that were kept across a reload; none when what was kept can't be read. */
function readKept(storage: Pick<Storage, 'getItem'>, key: string): readonly Upload[] {
  try {
    return JSON.parse(storage.getItem(key) ?? '[]') as readonly Upload[];
  } catch {
    return [];
  }
}
