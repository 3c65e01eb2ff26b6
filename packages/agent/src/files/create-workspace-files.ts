import {
  findPlace,
  isWithin,
  makeFolder,
  makePlace,
  type OpenFile,
  openFile,
  ROOT,
  toFileEntry,
  type WorkspacePath,
} from '@berth/agent-core';
import type { OwnerKey } from '@berth/agent-store';
import { createError } from '@berth/contract';
import { AGENT_LIMITS, type FileEntry } from '@berth/contract/agent';
import { openFolder } from '@berth/kit/node';
import { type AppFollower, appSlug } from './follow-apps.ts';
import type { createIncoming } from './incoming.ts';
import { type ListOptions, listFiles } from './list-files.ts';
import { moveNew } from './move-new.ts';
import { type Batches, checkBatch, placeBatch } from './place-batch.ts';
import { type NewFile, placeFile } from './place-file.ts';
import type { WorkspaceDisk } from './workspace-disk.ts';
import { workspaceFolder } from './workspace-folder.ts';
import { zipFolder } from './zip-folder.ts';

interface WorkspaceFilesOptions {
  /** Absolute; exists. */
  readonly dataFolder: string;
  readonly disk: WorkspaceDisk;
  readonly receive: ReturnType<typeof createIncoming>;
  readonly batches: Batches;
  readonly apps: AppFollower;
}

/** Options of `WorkspaceFiles.stage`. */
export interface WriteOptions {
  /** `AGENT_LIMITS.uploadMib` by default. */
  readonly maxBytes?: number;
  readonly signal?: AbortSignal | undefined;
}

const MAX_BYTES = AGENT_LIMITS.uploadMib * 2 ** 20;

/**
 * The files of owners' workspaces. Paths come from `parseWorkspacePath`. No link is followed, so every path stays in the owner's
 * folder. A file is complete before its name appears. Other owners' files are invisible.
 */
export type WorkspaceFiles = ReturnType<typeof createWorkspaceFiles>;

export function createWorkspaceFiles({ dataFolder, disk, receive, batches, apps }: WorkspaceFilesOptions) {
  const find = async (owner: OwnerKey, path: WorkspacePath) => {
    await using root = await disk.open(owner);
    if (!root) return undefined;
    await using place = await findPlace(root, path);
    return place && toFileEntry(path, place.stats);
  };
  const openFolderAt = async (owner: OwnerKey, path: WorkspacePath) => {
    await using root = await disk.open(owner);
    await using place = root && (await findPlace(root, path));
    // Opened before the folder around it is closed.
    return place && (await openFolder(place.folder.at(place.name)));
  };
  const stage = (body: AsyncIterable<Uint8Array>, { maxBytes = MAX_BYTES, signal }: WriteOptions = {}) =>
    receive(body, { maxBytes, signal });
  /** Gives a staged file its path; with `isExclusive` only where nothing is yet. @throws `conflict` */
  const place = async (owner: OwnerKey, file: NewFile, { isExclusive = false } = {}): Promise<FileEntry> => {
    await disk.alone(owner, async () => {
      await using root = await disk.ensure(owner);
      await placeFile(root, file, isExclusive);
    });
    const entry = await find(owner, file.path);
    if (entry) return entry;
    throw createError('unavailable', `"${file.path}" was deleted while being stored. Send it again.`);
  };
  return {
    /** Bytes on the disk that {@link place} or {@link placeAll} give a path. @throws as {@link write} */
    stage,
    place,
    find,
    /** Returns the absolute path of the owner's folder; creates it if missing. */
    async ensureFolder(owner: OwnerKey): Promise<string> {
      await using _folder = await disk.ensure(owner);
      return workspaceFolder(dataFolder, owner);
    },
    /** See {@link listFiles}. */
    async list(owner: OwnerKey, path: WorkspacePath, options?: ListOptions): Promise<readonly FileEntry[]> {
      await using root = await disk.open(owner);
      return root ? await listFiles(root, path, options) : [];
    },
    async open(owner: OwnerKey, path: WorkspacePath): Promise<OpenFile | undefined> {
      await using root = await disk.open(owner);
      if (!root) return undefined;
      await using found = await findPlace(root, path);
      return found?.stats.isFile() ? await openFile(found, path) : undefined;
    },
    /**
     * Stores the body; creates missing parents. When it throws, the previous file is intact.
     * @throws `payload_too_large`, `insufficient_storage`; `conflict` when the path names a folder or leads through a file.
     */
    async write(owner: OwnerKey, path: WorkspacePath, body: AsyncIterable<Uint8Array>): Promise<FileEntry> {
      await using staged = await stage(body);
      return await place(owner, { path, staged });
    },
    /** Places all files or none. @throws `conflict`, and `invalid` for paths that exclude each other */
    async placeAll(owner: OwnerKey, files: readonly NewFile[]): Promise<void> {
      await disk.alone(owner, async () => {
        await using root = await disk.ensure(owner);
        await checkBatch(
          root,
          files.map((file) => file.path),
        );
        await placeBatch(root, await batches.newFolder(owner), owner, files);
      });
    },
    /** @throws `conflict` when a file is there or in the way. An existing folder is no error. */
    async makeFolder(owner: OwnerKey, path: WorkspacePath): Promise<void> {
      await disk.alone(owner, async () => {
        await using root = await disk.ensure(owner);
        await using _made = await makeFolder(root, path);
      });
    },
    /** @throws `not_found`; `conflict` when `to` is there, or lies inside `from` */
    async move(owner: OwnerKey, from: WorkspacePath, to: WorkspacePath): Promise<void> {
      if (from === ROOT) throw createError('forbidden', "The workspace can't be moved.");
      if (isWithin(to, from) && to !== from) throw createError('conflict', `"${from}" cannot be moved into itself.`);
      await disk.alone(owner, async () => {
        await using root = await disk.ensure(owner);
        await using source = await findPlace(root, from);
        if (!source) throw createError('not_found', `There is no "${from}".`);
        await using target = await makePlace(root, to);
        const outcome = await moveNew(source, target);
        if (outcome === 'missing') throw createError('not_found', `"${from}" no longer exists.`);
        if (outcome === 'taken') throw createError('conflict', `"${to}" already exists. Choose another name.`);
        const [slug, toSlug] = [appSlug(from), appSlug(to)];
        if (source.stats.isDirectory() && slug !== undefined && toSlug !== undefined)
          await apps.moved(owner, slug, toSlug);
      });
    },
    /** The folder as a zip that is made while it is read; undefined when it is not there. */
    async zip(owner: OwnerKey, path: WorkspacePath): Promise<AsyncGenerator<Uint8Array> | undefined> {
      const entry = await find(owner, path);
      return entry?.type === 'directory' ? zipFolder(() => openFolderAt(owner, path)) : undefined;
    },
  };
}
