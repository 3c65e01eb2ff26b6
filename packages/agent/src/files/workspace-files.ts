import type { OpenFile, WorkspacePath } from '@berth/agent-core';
import type { OwnerKey } from '@berth/agent-store';
import type { FileEntry } from '@berth/contract/agent';
import type { StagedFile } from './incoming.ts';
import type { ListOptions } from './list-files.ts';
import type { NewFile } from './place-file.ts';

export interface WriteOptions {
  /** `AGENT_LIMITS.uploadMib` by default. */
  readonly maxBytes?: number;
  readonly signal?: AbortSignal | undefined;
  /** Only where nothing is yet; else `conflict`. */
  readonly isExclusive?: boolean;
}

/**
 * The files of owners' workspaces. Paths come from `parseWorkspacePath`. No link is followed, so every path stays in the owner's
 * folder. A file is complete before its name appears. Other owners' files are invisible.
 */
export interface WorkspaceFiles {
  /** Returns the absolute path of the owner's folder; creates it if missing. */
  ensureFolder(owner: OwnerKey): Promise<string>;
  /** See {@link listFiles}. */
  list(owner: OwnerKey, path: WorkspacePath, options?: ListOptions): Promise<readonly FileEntry[]>;
  find(owner: OwnerKey, path: WorkspacePath): Promise<FileEntry | undefined>;
  open(owner: OwnerKey, path: WorkspacePath): Promise<OpenFile | undefined>;
  /**
   * Stores the body; creates missing parents. When it throws, the previous file is intact.
   * @throws `payload_too_large`, `insufficient_storage`; `conflict` when the path names a folder or leads through a file.
   */
  write(
    owner: OwnerKey,
    path: WorkspacePath,
    body: AsyncIterable<Uint8Array>,
    options?: WriteOptions,
  ): Promise<FileEntry>;
  /** Bytes on the disk that {@link place} or {@link placeAll} give a path. @throws as {@link write} */
  stage(body: AsyncIterable<Uint8Array>, options?: WriteOptions): Promise<StagedFile>;
  place(owner: OwnerKey, file: NewFile, options?: Pick<WriteOptions, 'isExclusive'>): Promise<FileEntry>;
  /** Places all files or none. @throws `conflict`, and `invalid` for paths that exclude each other */
  placeAll(owner: OwnerKey, files: readonly NewFile[]): Promise<void>;
  /** @throws `conflict` when a file is there or in the way. A folder that is there already is well. */
  makeFolder(owner: OwnerKey, path: WorkspacePath): Promise<void>;
  /** @throws `not_found`; `conflict` when `to` is there, or lies inside `from` */
  move(owner: OwnerKey, from: WorkspacePath, to: WorkspacePath): Promise<void>;
  /** The folder as a zip that is made while it is read; undefined when it is not there. */
  zip(owner: OwnerKey, path: WorkspacePath): Promise<AsyncGenerator<Uint8Array> | undefined>;
}
