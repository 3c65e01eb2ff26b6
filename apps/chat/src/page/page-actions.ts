/** The dialog above the page, or the panel beside the conversation. */
export type PageDialog = 'share' | 'connectors' | 'approvals' | 'tools' | 'memory' | 'agents' | 'palette' | 'keys';
export type FilesTab = 'files' | 'trash';

/** Actions of the page, for the header, the shortcuts and the command palette; undefined where not available. */
export interface PageActions {
  open(dialog: PageDialog): void;
  /** Toggles the files or the trash. */
  toggleFiles(tab: FilesTab): void;
  /** Shows the files. */
  showFiles(): void;
  newChat(): void;
  /** Focuses the message field. */
  write(): void;
  readonly canShare: boolean;
  readonly signOut: (() => void) | undefined;
}
