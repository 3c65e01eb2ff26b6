import type { FileEntry } from '@berth/contract/agent';
import { fileKind } from './file-kind.ts';
import { nameOf, type WorkspacePath } from './workspace-path.ts';

interface EntryStats {
  isDirectory(): boolean;
  readonly size: number | bigint;
  readonly mtimeMs: number | bigint;
}

/** Returns the contract's representation of a file or folder. */
export function toFileEntry(path: WorkspacePath, stats: EntryStats): FileEntry {
  const name = nameOf(path);
  const isFolder = stats.isDirectory();
  return {
    name,
    path,
    type: isFolder ? 'directory' : 'file',
    size: isFolder ? 0 : Number(stats.size),
    modified: new Date(Number(stats.mtimeMs)).toISOString(),
    kind: isFolder ? 'directory' : fileKind(name),
  };
}
