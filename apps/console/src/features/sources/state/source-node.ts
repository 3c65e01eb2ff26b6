/** A folder that a person gave to the page, read lazily. */
export interface SourceFolder {
  readonly kind: 'folder';
  readonly name: string;
  children(): Promise<readonly SourceNode[]>;
}

/** A file that a person gave to the page. */
export interface SourceFile {
  readonly kind: 'file';
  readonly name: string;
  /** Opens the file. @throws the browser's error if the file is gone or unreadable */
  open(): Promise<Blob>;
}

/** A file or a folder of a source. */
export type SourceNode = SourceFolder | SourceFile;

/** A source to deploy: a folder that must be packed, or an archive. */
export type Source =
  | { readonly kind: 'folder'; readonly folder: SourceFolder }
  | { readonly kind: 'archive'; readonly name: string; readonly archive: Blob };
