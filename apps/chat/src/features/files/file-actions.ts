import type { FileEntry } from '@berth/contract/agent';

/** What can be done with a file or folder, wherever it is shown. */
export interface FileActions {
  onOpen(entry: FileEntry): void;
  /** Asks for another name or place. */
  onMove(entry: FileEntry): void;
  onRemove(entry: FileEntry): void;
}
