import type { ArchiveLimits, SuppliedLibrary } from '@berth/builder';
import type { BaseImages, BuildLimits } from '@berth/builder/image';
import type { EngineContext } from '../engine/open-engine.ts';
import type { Networks } from '../network/networks.ts';

/** Options of `createImageBuilder`. */
export interface ImageBuilderOptions extends EngineContext {
  readonly networks: Pick<Networks, 'ensureForBuilds'>;
  /** Absolute path of the folder for received archives, created when missing. */
  readonly archiveFolder: string;
  /** Absolute path of the folder for sources of running builds, created when missing. `collect` empties it. */
  readonly workFolder: string;
  /** Defaults: `createDefaultBuildLimits`. `cacheBytes` isn't used. */
  readonly limits?: Partial<BuildLimits>;
  /** Defaults: `DEFAULT_ARCHIVE_LIMITS`. */
  readonly archiveLimits?: Partial<ArchiveLimits>;
  /** Defaults: `DEFAULT_BASE_IMAGES`. */
  readonly images?: BaseImages;
  /** Images that Dockerfiles may use besides the base images, in the format of `createImageRule`. Default `official`. */
  readonly allowedImages?: readonly string[];
  /** The operator's registries and proxies. They aren't stored in images, but builds can print them, so they must not be secret. */
  readonly buildArgs?: Readonly<Record<string, string>>;
  /** PEM certificates that builds with generated Dockerfiles trust. */
  readonly bundle?: string | undefined;
  /** A library that projects install from the platform, which builds can't reach. */
  readonly library?: SuppliedLibrary | undefined;
}
