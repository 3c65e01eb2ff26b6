import { USER_NAME } from '../bubblewrap/passwd-files.ts';

/** Options of {@link baseEnvironment}. */
export interface EnvironmentOptions {
  /** PATH of tenants' programs. */
  readonly programPath: string;
  readonly privateFolder: string;
  /** The private `tmp` is mounted as `/tmp`. */
  readonly isSandboxed: boolean;
}

/** Returns the default environment of every program: enough to find programs, a home and a place for temporary files. */
export function baseEnvironment({
  programPath,
  privateFolder,
  isSandboxed,
}: EnvironmentOptions): Record<string, string> {
  return {
    PATH: programPath,
    HOME: `${privateFolder}/home`,
    // As short as possible, because the path of a socket has at most 107 bytes (unix(7)).
    TMPDIR: isSandboxed ? '/tmp' : `${privateFolder}/tmp`,
    LANG: 'C.UTF-8',
    USER: USER_NAME,
  };
}
