import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { parseFolderPath, parseWorkspacePath, type ToolFiles } from '@berth/agent-core';
import type { OwnerKey } from '@berth/agent-store';
import type { WorkspaceFiles } from '../../files/create-workspace-files.ts';
import type { Trash } from '../../trash/create-trash.ts';

export interface CreateToolFilesOptions {
  readonly files: WorkspaceFiles;
  readonly trash: Trash;
  readonly owner: OwnerKey;
  /** Absolute path of the owner's workspace. */
  readonly folder: string;
}

/** Returns one person's workspace for tools, which name no owner and so can't reach another's files. */
export function createToolFiles({ files, trash, owner, folder }: CreateToolFilesOptions): ToolFiles {
  return {
    folder,
    ensureFolder: async () => void (await files.ensureFolder(owner)),
    async read(path, maxBytes) {
      await using file = await files.open(owner, parseWorkspacePath(path));
      if (!file) return undefined;
      const sizeBytes = file.entry.size;
      const last = Math.min(sizeBytes, maxBytes) - 1;
      return { bytes: last < 0 ? Buffer.alloc(0) : await buffer(file.read({ first: 0, last })), sizeBytes };
    },
    async write(path, bytes) {
      await files.write(owner, parseWorkspacePath(path), Readable.from([bytes]));
    },
    list: (path, { recursive }) => files.list(owner, parseFolderPath(path), { recursive }),
    async remove(path) {
      await trash.put(owner, parseWorkspacePath(path), { by: 'agent' });
    },
  };
}
