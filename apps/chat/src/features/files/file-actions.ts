import type { FileEntry } from '@berth/contract/agent';

/** The actions on a file or folder, in the list and in the preview. */
export interface FileActions {
  onOpen(entry: FileEntry): void;
  /** Asks for a new name or path. */
  onMove(entry: FileEntry): void;
  onRemove(entry: FileEntry): void;
}
