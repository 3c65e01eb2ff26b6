/** An entry of a folder of a workspace. */
export interface ToolFile {
  /** From the workspace on. */
  readonly path: string;
  readonly type: 'file' | 'directory';
  readonly size: number;
}

/**
 * A person's workspace as tools see it. Paths are relative to it; each call refuses those that lead out of it or into what
 * the agent keeps to itself (`forbidden`), and those that are no paths (`invalid`).
 */
export interface ToolFiles {
  /** Absolute path of the folder, for programs in a sandbox. */
  readonly folder: string;
  /** Makes the folder when it is not there yet. */
  ensureFolder(): Promise<void>;
  /** Undefined when there is no such file. At most `maxBytes` are read. */
  read(path: string, maxBytes: number): Promise<{ readonly bytes: Buffer; readonly sizeBytes: number } | undefined>;
  /** All at once or not at all; folders above are made. */
  write(path: string, bytes: Uint8Array): Promise<void>;
  /** What lies in a folder, '' for the workspace, with `recursive` what lies below; hidden entries left out. */
  list(path: string, options: { readonly recursive: boolean }): Promise<readonly ToolFile[]>;
  /** Into the trash, from where the person can take it back. */
  remove(path: string): Promise<void>;
}
