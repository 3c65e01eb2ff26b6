/** A folder that a person gave to the page, read as far as it is asked for. */
export interface SourceFolder {
  readonly kind: 'folder';
  readonly name: string;
  children(): Promise<readonly SourceNode[]>;
}

export interface SourceFile {
  readonly kind: 'file';
  readonly name: string;
  /** @throws what the browser says when the file is gone or can't be read. */
  open(): Promise<Blob>;
}

export type SourceNode = SourceFolder | SourceFile;

/** What is to be deployed: a folder that is yet to be packed, or an archive as it is. */
export type Source =
  | { readonly kind: 'folder'; readonly folder: SourceFolder }
  | { readonly kind: 'archive'; readonly name: string; readonly archive: Blob };
