import type { Clock, Logger } from '@berth/kit';
import type { CommandSandbox } from '@berth/runtime';
import type { BuildLimits } from './build/build-limits.ts';
import type { ArchiveLimits } from './intake/archive-limits.ts';

/** Options of `createFolderBuilder`. */
export interface FolderBuilderOptions {
  readonly sandbox: CommandSandbox;
  /**
   * Folder for received archives. This and the next two folders are absolute, created if missing, and ideally on one
   * file system.
   */
  readonly archiveFolder: string;
  /** Folder for artifacts: `<account>/<deployment>/<revision>`. */
  readonly artifactFolder: string;
  /** Folder for dependencies and package managers' caches of each deployment. May be deleted while no build runs. */
  readonly cacheFolder: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Limits that differ from `createDefaultBuildLimits`. */
  readonly limits?: Partial<BuildLimits>;
  /** Limits that differ from `DEFAULT_ARCHIVE_LIMITS`. */
  readonly archiveLimits?: Partial<ArchiveLimits>;
  /**
   * Environment of every build: the operator's registries, proxies and certificates. Must not contain secrets, because
   * tenants can read it.
   */
  readonly env?: Readonly<Record<string, string>>;
}
