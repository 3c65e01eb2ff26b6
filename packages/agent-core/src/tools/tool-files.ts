/** An entry of a folder of a workspace. */
export interface ToolFile {
  /** Relative to the workspace. */
  readonly path: string;
  readonly type: 'file' | 'directory';
  readonly size: number;
}

/**
 * A person's workspace as tools see it. Paths are relative to it. Each call throws `forbidden` for a path that leads out of the
 * workspace or into a reserved folder, and `invalid` for a text that is no path.
 */
export interface ToolFiles {
  /** Absolute path of the folder, for programs in a sandbox. */
  readonly folder: string;
  /** Creates the folder if it is missing. */
  ensureFolder(): Promise<void>;
  /** Reads at most `maxBytes`; undefined when there is no such file. */
  read(path: string, maxBytes: number): Promise<{ readonly bytes: Buffer; readonly sizeBytes: number } | undefined>;
  /** Writes a file atomically; creates missing parent folders. */
  write(path: string, bytes: Uint8Array): Promise<void>;
  /** Lists a folder ('' is the workspace), with `recursive` all below it; leaves hidden entries out. */
  list(path: string, options: { readonly recursive: boolean }): Promise<readonly ToolFile[]>;
  /** Moves an entry to the trash, where the person can restore it. */
  remove(path: string): Promise<void>;
}
