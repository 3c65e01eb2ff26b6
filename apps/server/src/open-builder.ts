import { type Builder, createFolderBuilder } from '@berth/builder';
import { buildEnvironment } from './build-environment.ts';
import type { OpenBuilderOptions } from './builder-options.ts';
import { workFolders } from './platform-folders.ts';

/** Makes the builder whose builds the machine's runtime can start. */
export async function openBuilder(options: OpenBuilderOptions): Promise<Builder> {
  const { config, environment, builds, workRoot, clock, logger } = options;
  const { archives: archiveFolder, artifacts: artifactFolder, cache: cacheFolder } = workFolders(workRoot);
  const limits = { timeoutMs: config.buildTimeoutSeconds * 1_000, parallelBuilds: config.parallelBuilds };
  if (builds.kind === 'images') {
    // Large, and of no use to the other runtime.
    const { openImageBuilder } = await import('./open-image-builder.ts');
    return openImageBuilder(options, builds, { archiveFolder, limits });
  }
  return createFolderBuilder({
    ...{ sandbox: builds.sandbox, clock, logger, archiveFolder, limits },
    ...{ artifactFolder, cacheFolder },
    env: buildEnvironment(environment),
  });
}
