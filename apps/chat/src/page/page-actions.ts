/** What stands above the page or beside the conversation. */
export type PageDialog = 'share' | 'connectors' | 'tools' | 'agents' | 'palette' | 'keys';
export type FilesTab = 'files' | 'trash';

/** What can be done from the header, by keys and from the palette. Undefined: not on this page. */
export interface PageActions {
  open(dialog: PageDialog): void;
  /** Shows the files or the trash; hides them when they are shown. */
  toggleFiles(tab: FilesTab): void;
  /** Shows the files, also when they are shown. */
  showFiles(): void;
  newChat(): void;
  /** Puts the cursor into the message field. */
  write(): void;
  readonly canShare: boolean;
  readonly signOut: (() => void) | undefined;
}
