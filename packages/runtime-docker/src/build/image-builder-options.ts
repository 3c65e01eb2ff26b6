import type { ArchiveLimits } from '@berth/builder';
import type { BaseImages, BuildLimits } from '@berth/builder/image';
import type { Clock, Logger } from '@berth/kit';
import type { Engine } from '../engine/open-engine.ts';
import type { Networks } from '../network/networks.ts';

export interface ImageBuilderOptions {
  readonly engine: Engine;
  readonly networks: Pick<Networks, 'ensureForBuilds'>;
  /** Tells this server's images from those of others on the same engine. */
  readonly serverId: string;
  /** Received archives. This and the next are made when they are missing; absolute. */
  readonly archiveFolder: string;
  /** Sources of running builds; emptied by `collect`. */
  readonly workFolder: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** What is not given is as in `createDefaultBuildLimits`; `cacheBytes` has no meaning here. */
  readonly limits?: Partial<BuildLimits>;
  /** What is not given is as in `DEFAULT_ARCHIVE_LIMITS`. */
  readonly archiveLimits?: Partial<ArchiveLimits>;
  /** What is not given is as in `DEFAULT_BASE_IMAGES`. */
  readonly images?: BaseImages;
  /** Images that Dockerfiles may name, as `createImageRule` reads them, besides the base images. Default `official`. */
  readonly allowedImages?: readonly string[];
  /** The operator's registries and proxies. They end in no image; nothing secret: builds can print them. */
  readonly buildArgs?: Readonly<Record<string, string>>;
  /** PEM certificates that builds of generated Dockerfiles trust. */
  readonly bundle?: string | undefined;
}
