import type { Clock, Logger } from '@berth/kit';
import type { CommandSandbox } from '@berth/runtime';
import type { BuildLimits } from './build/build-limits.ts';
import type { ArchiveLimits } from './intake/archive-limits.ts';

export interface FolderBuilderOptions {
  readonly sandbox: CommandSandbox;
  /** Received archives. This and the next two are made when they are missing; absolute, on one file system at best. */
  readonly archiveFolder: string;
  /** What builds make: `<account>/<deployment>/<revision>`. */
  readonly artifactFolder: string;
  /** Dependencies and package managers' caches, for each deployment. May be deleted while no build runs. */
  readonly cacheFolder: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** What is not given is as in `createDefaultBuildLimits`. */
  readonly limits?: Partial<BuildLimits>;
  /** What is not given is as in `DEFAULT_ARCHIVE_LIMITS`. */
  readonly archiveLimits?: Partial<ArchiveLimits>;
  /** Environment that every build gets: the operator's registries, proxies and certificates. Nothing secret: tenants can read it. */
  readonly env?: Readonly<Record<string, string>>;
}
