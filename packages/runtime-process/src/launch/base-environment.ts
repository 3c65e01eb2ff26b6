import { USER_NAME } from '../bubblewrap/passwd-files.ts';

export interface EnvironmentOptions {
  /** PATH of tenants' programs. */
  readonly programPath: string;
  readonly privateFolder: string;
  /** The private `tmp` is seen as `/tmp`. */
  readonly isSandboxed: boolean;
}

/** What every program has unless it is given another: enough to find programs, a home and a place for temporary files. */
export function baseEnvironment({
  programPath,
  privateFolder,
  isSandboxed,
}: EnvironmentOptions): Record<string, string> {
  return {
    PATH: programPath,
    HOME: `${privateFolder}/home`,
    // A short one where it can be had: the path of a socket in it must not be longer than 107 bytes (unix(7)).
    TMPDIR: isSandboxed ? '/tmp' : `${privateFolder}/tmp`,
    LANG: 'C.UTF-8',
    USER: USER_NAME,
  };
}
